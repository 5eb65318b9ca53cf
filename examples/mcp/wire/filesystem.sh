#!/bin/sh
# Start the filesystem server in an empty folder, which is all that it may touch.
set -e
server=$PWD/node_modules/.bin/mcp-server-filesystem
mkdir shared
cd shared
exec "$server" .
