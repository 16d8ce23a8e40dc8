#!/usr/bin/env python3
"""A wire that is cut: passes bytes on, and breaks connections when told to.

    cut.py PORT TO          listens on 127.0.0.1, passes to that port there

A line "down N" or "up N" on the standard input: the connection over which N bytes
more have come from the server, or gone there, is reset, once.  It ends with its
standard input.
"""

import socket
import struct
import sys
import threading

lock = threading.Lock()
left = {"down": None, "up": None}


def reset(connection):
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


def passes(way, size):
    """Bytes of these that pass before the cut; None: all, there is none."""
    with lock:
        if left[way] is None or size <= left[way]:
            if left[way] is not None:
                left[way] -= size
            return None
        keep, left[way] = left[way], None
        return keep


def copy(way, source, target):
    try:
        while data := source.recv(65536):
            keep = passes(way, len(data))
            target.sendall(data if keep is None else data[:keep])
            if keep is not None:
                print("cut", flush=True)
                reset(source)
                reset(target)
                return
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(listener, port):
    while True:
        client, _ = listener.accept()
        try:
            server = socket.create_connection(("127.0.0.1", port))
        except OSError:
            client.close()
            continue
        for way, source, target in (("up", client, server), ("down", server, client)):
            threading.Thread(target=copy, args=(way, source, target), daemon=True).start()


listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
threading.Thread(target=serve, args=(listener, int(sys.argv[2])), daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    way, count = line.split()
    with lock:
        left[way] = int(count)
    print("set", flush=True)
