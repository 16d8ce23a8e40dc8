package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// No request may take longer.
const timeout = 10 * time.Second

// call is a request, and what its answer must have in it.
type call struct {
	operation string
	body      string
	wanted    string
}

// connection is kept alive, and opened again when the server has closed it.
// It reads and writes by itself: http.Client takes several times as much of the
// processor.
type connection struct {
	address string
	signer  *signer
	socket  net.Conn
	reader  *bufio.Reader
	answer  bytes.Buffer
}

func newConnection(address string) *connection {
	return &connection{address: address,
		signer: newSigner(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"))}
}

func (c *connection) open() error {
	socket, err := net.DialTimeout("tcp", c.address, timeout)
	if err != nil {
		return err
	}
	c.socket = socket
	c.reader = bufio.NewReaderSize(socket, 16384)
	return nil
}

func (c *connection) close() {
	if c.socket != nil {
		c.socket.Close()
		c.socket = nil
	}
}

// call makes a request, and returns the name of what went wrong, or "".  The
// answer is in c.answer.
func (c *connection) call(one call) string {
	request := c.signer.request(one.operation, one.body, time.Now())
	old := c.socket != nil
	response, err := c.exchange(request)
	if err != nil && old && !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, io.ErrUnexpectedEOF) {
		// The server may have closed it before it saw the request.
		response, err = c.exchange(request)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "timeout"
	case err != nil:
		return "connection"
	case response.StatusCode != http.StatusOK:
		return errorName(response.StatusCode, c.answer.Bytes())
	case !bytes.Contains(c.answer.Bytes(), []byte(one.wanted)):
		return "nothing-found"
	}
	return ""
}

func (c *connection) exchange(request []byte) (*http.Response, error) {
	if c.socket == nil {
		if err := c.open(); err != nil {
			return nil, err
		}
	}
	response, err := c.attempt(request)
	if err != nil || response.Close {
		c.close()
	}
	return response, err
}

func (c *connection) attempt(request []byte) (*http.Response, error) {
	if err := c.socket.SetDeadline(time.Now().Add(timeout)); err != nil {
		return nil, err
	}
	if _, err := c.socket.Write(request); err != nil {
		return nil, err
	}
	if _, err := c.reader.Peek(1); err != nil {
		return nil, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	c.answer.Reset()
	_, err = c.answer.ReadFrom(response.Body)
	return response, err
}

// errorName is the type of an error of the service's, with the status if the
// server is to blame.
func errorName(status int, body []byte) string {
	var answer struct {
		Type string `json:"__type"`
	}
	json.Unmarshal(body, &answer)
	name := answer.Type[strings.LastIndexByte(answer.Type, '#')+1:]
	if name == "" || status >= 500 {
		name = strconv.Itoa(status) + name
	}
	return name
}
