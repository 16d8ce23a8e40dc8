package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// signer makes requests with a Signature Version 4.  What depends on the day or
// the second alone is kept.
type signer struct {
	id, secret string
	second     int64
	stamp      string
	scope      string
	key        []byte
}

const signedHeaders = "content-type;host;x-amz-date;x-amz-target"

func newSigner(id, secret string) *signer {
	return &signer{id: id, secret: secret}
}

func keyed(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (s *signer) at(now time.Time) {
	if s.second == now.Unix() {
		return
	}
	s.second = now.Unix()
	s.stamp = now.UTC().Format("20060102T150405Z")
	scope := s.stamp[:8] + "/us-east-1/dynamodb/aws4_request"
	if s.scope == scope {
		return
	}
	s.scope = scope
	s.key = []byte("AWS4" + s.secret)
	for _, part := range []string{s.stamp[:8], "us-east-1", "dynamodb", "aws4_request"} {
		s.key = keyed(s.key, part)
	}
}

// request is all bytes of a request.
func (s *signer) request(operation, body string, now time.Time) []byte {
	s.at(now)
	target := "DynamoDB_20120810." + operation
	canonical := "POST\n/\n\n" +
		"content-type:application/x-amz-json-1.0\n" +
		"host:dynamo.bench\n" +
		"x-amz-date:" + s.stamp + "\n" +
		"x-amz-target:" + target + "\n" +
		"\n" + signedHeaders + "\n" + digest(body)
	signature := hex.EncodeToString(keyed(s.key, "AWS4-HMAC-SHA256\n"+s.stamp+"\n"+s.scope+"\n"+digest(canonical)))
	return []byte("POST / HTTP/1.1\r\n" +
		"Content-Type: application/x-amz-json-1.0\r\n" +
		"Host: dynamo.bench\r\n" +
		"X-Amz-Date: " + s.stamp + "\r\n" +
		"X-Amz-Target: " + target + "\r\n" +
		"Authorization: AWS4-HMAC-SHA256 Credential=" + s.id + "/" + s.scope +
		", SignedHeaders=" + signedHeaders + ", Signature=" + signature + "\r\n" +
		"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}
