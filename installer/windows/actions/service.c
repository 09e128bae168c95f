/* The settings and states of the Windows service that the tables of an installer package cannot handle reliably. */
#include <stdlib.h>
#include <string.h>
#include "actions.h"

/** The host gives its agent 20 s to stop and 60 s to start. */
#define STOP_LIMIT_MS 40000
#define START_LIMIT_MS 75000
#define POLL_MS 200
#define PRESHUTDOWN_MS 30000
#define RESTART_RESET_SECONDS 86400
#define LOG_TAIL_BYTES 2048

static SC_HANDLE open_service(DWORD access, SC_HANDLE *manager)
{
    *manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
    return *manager ? OpenServiceW(*manager, WIDE_SERVICE_NAME, access) : NULL;
}

static void close_service(SC_HANDLE service, SC_HANDLE manager)
{
    if (service) CloseServiceHandle(service);
    if (manager) CloseServiceHandle(manager);
}

static BOOL query(SC_HANDLE service, SERVICE_STATUS_PROCESS *status)
{
    DWORD length;
    return QueryServiceStatusEx(service, SC_STATUS_PROCESS_INFO, (BYTE *)status, sizeof *status, &length);
}

/** Waits for the end of the service's process: "stopped" comes earlier, while its files are still in use. */
UINT WINAPI StopAgent(MSIHANDLE session)
{
    SC_HANDLE manager, service = open_service(SERVICE_STOP | SERVICE_QUERY_STATUS, &manager);
    SERVICE_STATUS_PROCESS status;
    if (service && query(service, &status) && status.dwProcessId) {
        HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, status.dwProcessId);
        SERVICE_STATUS ignored;
        ControlService(service, SERVICE_CONTROL_STOP, &ignored);
        if (process && WaitForSingleObject(process, STOP_LIMIT_MS) != WAIT_OBJECT_0) {
            log_line(session, L"The service did not end within %d seconds.", STOP_LIMIT_MS / 1000);
        }
        if (process) CloseHandle(process);
    }
    close_service(service, manager);
    return ERROR_SUCCESS;
}

static void set(MSIHANDLE session, SC_HANDLE service, DWORD level, void *value, const wchar_t *what)
{
    if (ChangeServiceConfig2W(service, level, value)) return;
    log_line(session, L"Setting of the service that could not be made: %ls (Windows error %lu).", what, GetLastError());
}

static void set_recovery(MSIHANDLE session, SC_HANDLE service)
{
    SC_ACTION restarts[] = {{SC_ACTION_RESTART, 5000}, {SC_ACTION_RESTART, 30000}, {SC_ACTION_RESTART, 60000}};
    SERVICE_FAILURE_ACTIONSW actions = {.dwResetPeriod = RESTART_RESET_SECONDS, .cActions = 3, .lpsaActions = restarts};
    set(session, service, SERVICE_CONFIG_FAILURE_ACTIONS, &actions, L"restart after a failure");
    /* Without this flag, Windows restarts a service only after a crash, not after a reported error. */
    SERVICE_FAILURE_ACTIONS_FLAG flag = {TRUE};
    set(session, service, SERVICE_CONFIG_FAILURE_ACTIONS_FLAG, &flag, L"restart after a reported error");
    SERVICE_DELAYED_AUTO_START_INFO delayed = {TRUE};
    set(session, service, SERVICE_CONFIG_DELAYED_AUTO_START_INFO, &delayed, L"delayed automatic start");
    SERVICE_PRESHUTDOWN_INFO shutdown = {PRESHUTDOWN_MS};
    set(session, service, SERVICE_CONFIG_PRESHUTDOWN_INFO, &shutdown, L"time to stop at shutdown");
}

/** Deferred action; its data is the service's command line. */
UINT WINAPI ConfigureService(MSIHANDLE session)
{
    SC_HANDLE manager, service = open_service(SERVICE_CHANGE_CONFIG | SERVICE_START, &manager);
    wchar_t *command = property_of(session, L"CustomActionData");
    UINT result = ERROR_SUCCESS;
    if (!service || !command ||
        !ChangeServiceConfigW(service, SERVICE_NO_CHANGE, SERVICE_NO_CHANGE, SERVICE_NO_CHANGE, command, NULL, NULL, NULL,
                              NULL, NULL, NULL)) {
        result = fail(session, L"The service could not be set up: Windows error %lu.", GetLastError());
    } else {
        set_recovery(session, service);
    }
    free(command);
    close_service(service, manager);
    return result;
}

/** Copies the end of a log of the agent into the log of the installation. */
static void show_end_of(MSIHANDLE session, const wchar_t *folder, const wchar_t *name)
{
    wchar_t *path = text_of(L"%lslogs\\%ls", folder, name);
    HANDLE file = path ? CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                     OPEN_EXISTING, 0, NULL)
                       : INVALID_HANDLE_VALUE;
    char bytes[LOG_TAIL_BYTES];
    DWORD length = 0;
    LARGE_INTEGER size = {0};
    if (file != INVALID_HANDLE_VALUE && GetFileSizeEx(file, &size)) {
        LARGE_INTEGER start = {.QuadPart = size.QuadPart > LOG_TAIL_BYTES ? size.QuadPart - LOG_TAIL_BYTES : 0};
        SetFilePointerEx(file, start, NULL, FILE_BEGIN);
        ReadFile(file, bytes, sizeof bytes, &length, NULL);
        CloseHandle(file);
    }
    wchar_t *text = from_utf8(bytes, length);
    if (text && *text) {
        log_line(session, L"The end of %ls:", path);
        log_lines(session, L"  ", text);
    }
    free(text);
    free(path);
}

/** Whether nothing has tried to start the service since it was set up or stopped. In a repair, nothing else starts it. */
static BOOL was_not_started(const SERVICE_STATUS_PROCESS *status)
{
    return status->dwCurrentState == SERVICE_STOPPED &&
           (status->dwWin32ExitCode == NO_ERROR || status->dwWin32ExitCode == ERROR_SERVICE_NEVER_STARTED);
}

static BOOL becomes_running(SC_HANDLE service)
{
    SERVICE_STATUS_PROCESS status;
    BOOL is_started = FALSE;
    for (DWORD waited = 0; waited < START_LIMIT_MS; waited += POLL_MS) {
        if (!query(service, &status)) return FALSE;
        if (status.dwCurrentState == SERVICE_RUNNING) return TRUE;
        if (was_not_started(&status) && !is_started) is_started = StartServiceW(service, 0, NULL);
        else if (status.dwCurrentState == SERVICE_STOPPED) return FALSE;
        Sleep(POLL_MS);
    }
    return FALSE;
}

/** Deferred action; its data is the data folder. Fails with the agent's last log lines if the service does not run. */
UINT WINAPI WaitRunning(MSIHANDLE session)
{
    SC_HANDLE manager, service = open_service(SERVICE_QUERY_STATUS | SERVICE_START, &manager);
    wchar_t *folder = property_of(session, L"CustomActionData");
    UINT result = ERROR_SUCCESS;
    if (!service || !becomes_running(service)) {
        show_end_of(session, folder, L"service.log");
        show_end_of(session, folder, L"agent.log");
        result = fail(session, L"The service " WIDE_SERVICE_NAME L" does not run: see the lines before.");
    }
    free(folder);
    close_service(service, manager);
    return result;
}
