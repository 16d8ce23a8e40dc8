"""The AWS CLI, loaded once: each command of a scenario is a copy of this process.

    server.py SOCKET

To start Python and to import the CLI costs a command ten times what the request
does.  "aws" beside this file sends arguments, variables and standard files.
"""
import json
import os
import socket
import sys

from awscli import clidriver

FILES = 3


def run(connection):
    """One command, in a process of its own: its exit status is the answer."""
    _, files, _, _ = socket.recv_fds(connection, 1, FILES)
    with connection.makefile("rb") as stream:
        asked = json.load(stream)
    for number, file in enumerate(files):
        os.dup2(file, number)
    os.chdir(asked["directory"])
    data = os.environ["AWS_DATA_PATH"]      # which the CLI has set
    os.environ.clear()
    os.environ.update(asked["variables"], AWS_DATA_PATH=data)
    sys.argv = ["aws", *asked["arguments"]]
    try:
        status = clidriver.main()
    except SystemExit as end:
        status = end.code
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(str(int(status or 0)).encode())


def main():
    """Serve until killed."""
    clidriver.create_clidriver()      # what it imports is there for all
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            run(connection)
            os._exit(0)
        connection.close()
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


main()
