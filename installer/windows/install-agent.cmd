@echo off
rem Installs the agent without questions and ends with msiexec's exit code; 1638 when a newer version is installed.
rem Usage: install-agent.cmd [/l*v LOGFILE] APIURL=... APIKEY=... (or ENROLLTOKEN=...) AUDITPATH=... DBNAME=... [TENANTID=...]
rem        install-agent.cmd [/l*v LOGFILE] CONFIGFILE=...
setlocal EnableExtensions DisableDelayedExpansion
set "UPGRADES=HKLM\SOFTWARE\Classes\Installer\UpgradeCodes\@UPGRADE_CODE@"
for /f "tokens=1" %%P in ('reg query "%UPGRADES%" 2^>nul ^| findstr REG_SZ') do call :compare %%P
if defined NEWER (
  echo A newer version of the agent is already installed. 1>&2
  exit /b 1638
)
msiexec /i "%~dp0@MSI@" /qn %*
exit /b %ERRORLEVEL%

:compare
for /f "tokens=3" %%V in ('reg query "HKLM\SOFTWARE\Classes\Installer\Products\%1" /v Version 2^>nul ^| findstr REG_DWORD') do if %%V GTR @VERSION@ set NEWER=1
exit /b 0
