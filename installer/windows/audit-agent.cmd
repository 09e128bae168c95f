@echo off
rem The agent's commands for administrators: check, status, decode.
"%~dp0node.exe" --use-system-ca "%~dp0agent.js" %*
