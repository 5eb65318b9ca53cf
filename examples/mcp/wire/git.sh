#!/bin/sh
# Start the git server beside a repository with one commit and one change.
set -e
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_AUTHOR_DATE="1767323045 +0000"
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.org GIT_COMMITTER_DATE="1767323045 +0000"
git init -q -b main repo
echo one >repo/a.txt
git -C repo add a.txt
git -C repo commit -q -m first
echo two >>repo/a.txt
exec mcp-server-git
