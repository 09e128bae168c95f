#include <stdlib.h>
#include "host.h"

/** The longest time to start: to read large checkpoints and spools takes a while. */
#define START_LIMIT_MS 60000
/** The longest time to stop, after which the agent is ended. It waits some seconds for requests in flight. Windows' own
    limit at shutdown is longer. */
#define STOP_LIMIT_MS 20000
/** The time between two reports to the service control manager during start and stop. */
#define PROGRESS_MS 1000

static SERVICE_STATUS_HANDLE status_handle;
static SERVICE_STATUS status = {.dwServiceType = SERVICE_WIN32_OWN_PROCESS};
static CRITICAL_SECTION status_lock;
static HANDLE stop_event;

static void tell(DWORD state)
{
    EnterCriticalSection(&status_lock);
    BOOL is_pending = state == SERVICE_START_PENDING || state == SERVICE_STOP_PENDING;
    status.dwCheckPoint = is_pending ? status.dwCheckPoint + 1 : 0;
    status.dwWaitHint = is_pending ? 10 * PROGRESS_MS : 0;
    status.dwCurrentState = state;
    status.dwControlsAccepted =
        state == SERVICE_STOPPED || state == SERVICE_STOP_PENDING ? 0 : SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_PRESHUTDOWN;
    SetServiceStatus(status_handle, &status);
    LeaveCriticalSection(&status_lock);
}

static DWORD WINAPI handle_control(DWORD control, DWORD type, void *data, void *context)
{
    (void)type, (void)data, (void)context;
    if (control == SERVICE_CONTROL_INTERROGATE) return NO_ERROR;
    if (control != SERVICE_CONTROL_STOP && control != SERVICE_CONTROL_PRESHUTDOWN) return ERROR_CALL_NOT_IMPLEMENTED;
    SetEvent(stop_event);
    return NO_ERROR;
}

static wchar_t *own_folder(void)
{
    for (DWORD size = MAX_PATH;; size *= 2) {
        wchar_t *path = malloc(size * sizeof(wchar_t));
        if (!path) return NULL;
        DWORD length = GetModuleFileNameW(NULL, path, size);
        if (length < size) {
            wchar_t *end = wcsrchr(path, L'\\');
            if (end) *end = 0;
            return path;
        }
        free(path);
    }
}

/** Ends the service; with a code, Windows' recovery settings apply. */
static void end_with(DWORD error, DWORD agent_code)
{
    status.dwWin32ExitCode = error;
    status.dwServiceSpecificExitCode = agent_code;
    tell(SERVICE_STOPPED);
}

typedef enum { READY, STOP_ASKED, ENDED, TOO_SLOW } Outcome;

static Outcome wait_until_ready(const Agent *agent)
{
    HANDLE events[] = {agent->process, stop_event, agent->ready};
    for (DWORD waited = 0; waited < START_LIMIT_MS; waited += PROGRESS_MS) {
        switch (WaitForMultipleObjects(3, events, FALSE, PROGRESS_MS)) {
        case WAIT_OBJECT_0:
            return ENDED;
        case WAIT_OBJECT_0 + 1:
            return STOP_ASKED;
        case WAIT_OBJECT_0 + 2:
            return READY;
        }
        tell(SERVICE_START_PENDING);
    }
    return TOO_SLOW;
}

static void stop_agent(Agent *agent)
{
    tell(SERVICE_STOP_PENDING);
    agent_ask_to_stop(agent);
    for (DWORD waited = 0; waited < STOP_LIMIT_MS; waited += PROGRESS_MS) {
        if (WaitForSingleObject(agent->process, PROGRESS_MS) == WAIT_OBJECT_0) {
            report_stopped();
            return;
        }
        tell(SERVICE_STOP_PENDING);
    }
    agent_kill(agent);
    report_failure(L"The agent did not stop in time and was ended. What it had not published yet follows at the next start.");
}

static void report_end(DWORD code, BOOL was_ready)
{
    wchar_t *last = bootstrap_log_last();
    wchar_t *text = text_of(L"The agent %ls with exit code %lu. Its last words:\r\n%ls",
                            was_ready ? L"ended" : L"could not start and ended", code, last ? last : L"");
    if (text) report_failure(text);
    free(text);
    free(last);
}

/** Runs the agent until it ends or must stop, and reports the result. */
static void run(const wchar_t *programs)
{
    Agent agent = {0};
    DWORD error = agent_start(programs, data_folder, &agent);
    if (error) {
        wchar_t *text = text_of(L"%ls\\node.exe could not be started: Windows error %lu.", programs, error);
        if (text) report_failure(text);
        free(text);
        end_with(error, 0);
        return;
    }
    Outcome outcome = wait_until_ready(&agent);
    BOOL was_ready = outcome == READY;
    if (was_ready) {
        tell(SERVICE_RUNNING);
        report_started();
        HANDLE events[] = {agent.process, stop_event};
        outcome = WaitForMultipleObjects(2, events, FALSE, INFINITE) == WAIT_OBJECT_0 ? ENDED : STOP_ASKED;
    }
    if (outcome == STOP_ASKED) stop_agent(&agent);
    if (outcome == TOO_SLOW) agent_kill(&agent);
    DWORD code = agent_close(&agent);
    if (outcome == STOP_ASKED) {
        end_with(NO_ERROR, 0);
    } else if (outcome == TOO_SLOW) {
        report_failure(L"The agent was not ready in time and was ended.");
        end_with(ERROR_SERVICE_REQUEST_TIMEOUT, 0);
    } else {
        report_end(code, was_ready);
        /* An agent that ends without a request has failed, whatever its exit code. */
        end_with(ERROR_SERVICE_SPECIFIC_ERROR, code ? code : 1);
    }
}

void WINAPI service_main(DWORD count, wchar_t **arguments)
{
    (void)count, (void)arguments;
    InitializeCriticalSection(&status_lock);
    stop_event = CreateEventW(NULL, TRUE, FALSE, NULL);
    status_handle = RegisterServiceCtrlHandlerExW(WIDE_SERVICE_NAME, handle_control, NULL);
    if (!status_handle || !stop_event) return;
    tell(SERVICE_START_PENDING);
    bootstrap_log_open(data_folder);
    wchar_t *programs = own_folder();
    if (programs) run(programs);
    else end_with(ERROR_OUTOFMEMORY, 0);
    free(programs);
}
