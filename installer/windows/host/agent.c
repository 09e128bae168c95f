#include <stdlib.h>
#include <string.h>
#include "host.h"

/** The line that the agent prints when it works. */
#define READY_LINE "READY"
/** Longer lines are not the READY line. */
#define LINE_BYTES_MAX 256

typedef struct {
    HANDLE pipe;
    /** The event that is set when READY arrives; null for standard error. */
    HANDLE ready;
} Reader;

/** Looks for the READY line in the bytes of standard output; `line` holds the incomplete line. */
static void look_for_ready(const char *bytes, DWORD length, char *line, DWORD *used, HANDLE ready)
{
    for (DWORD i = 0; i < length; i++) {
        if (bytes[i] != '\n') {
            if (*used < LINE_BYTES_MAX) line[(*used)++] = bytes[i];
            continue;
        }
        if (*used > 0 && line[*used - 1] == '\r') (*used)--;
        if (*used == sizeof(READY_LINE) - 1 && memcmp(line, READY_LINE, *used) == 0) SetEvent(ready);
        *used = 0;
    }
}

/** Reads one stream of the agent to its end, so that the agent never waits for a reader. */
static DWORD WINAPI read_stream(void *argument)
{
    Reader *reader = argument;
    char bytes[4096], line[LINE_BYTES_MAX];
    DWORD length, used = 0;
    while (ReadFile(reader->pipe, bytes, sizeof bytes, &length, NULL) && length > 0) {
        bootstrap_log_write(bytes, length);
        if (reader->ready) look_for_ready(bytes, length, line, &used, reader->ready);
    }
    CloseHandle(reader->pipe);
    free(reader);
    return 0;
}

static HANDLE start_reader(HANDLE pipe, HANDLE ready)
{
    Reader *reader = malloc(sizeof *reader);
    if (!reader) return NULL;
    *reader = (Reader){pipe, ready};
    HANDLE thread = CreateThread(NULL, 0, read_stream, reader, 0, NULL);
    if (!thread) free(reader);
    return thread;
}

/** A pipe whose `child` end is inherited and whose `own` end is not. */
static BOOL make_pipe(HANDLE *child, HANDLE *own, BOOL child_reads)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    HANDLE read, write;
    if (!CreatePipe(&read, &write, &inherited, 0)) return FALSE;
    *child = child_reads ? read : write;
    *own = child_reads ? write : read;
    return SetHandleInformation(*own, HANDLE_FLAG_INHERIT, 0);
}

static HANDLE make_job(void)
{
    HANDLE job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job) SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
    return job;
}

static wchar_t *command_line(const wchar_t *programs, const wchar_t *data)
{
    /* The agent also trusts the certificates that Windows trusts, which services inside a company often use. */
    return text_of(L"\"%ls\\node.exe\" --use-system-ca \"%ls\\agent.js\" run --service --config \"%ls\\config.json\""
                   L" --data-dir \"%ls\\agent-data\" --log-file \"%ls\\logs\\agent.log\"",
                   programs, programs, data, data, data);
}

/** Starts the child inside the job, with the given three streams as its only handles. */
static DWORD create_process(wchar_t *command, const wchar_t *folder, HANDLE streams[3], Agent *agent)
{
    STARTUPINFOEXW start = {0};
    PROCESS_INFORMATION process;
    SIZE_T bytes = 0;
    DWORD error = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &bytes);
    start.lpAttributeList = malloc(bytes);
    if (!start.lpAttributeList || !InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &bytes)) {
        free(start.lpAttributeList);
        return ERROR_OUTOFMEMORY;
    }
    UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, streams,
                              3 * sizeof(HANDLE), NULL, NULL);
    start.StartupInfo.cb = sizeof start;
    start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    start.StartupInfo.hStdInput = streams[0];
    start.StartupInfo.hStdOutput = streams[1];
    start.StartupInfo.hStdError = streams[2];
    DWORD flags = CREATE_NO_WINDOW | CREATE_SUSPENDED | EXTENDED_STARTUPINFO_PRESENT;
    if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, flags, NULL, folder, &start.StartupInfo, &process)) {
        error = GetLastError();
    } else if (!AssignProcessToJobObject(agent->job, process.hProcess)) {
        error = GetLastError();
        TerminateProcess(process.hProcess, error);
        CloseHandle(process.hProcess);
        CloseHandle(process.hThread);
    } else {
        agent->process = process.hProcess;
        ResumeThread(process.hThread);
        CloseHandle(process.hThread);
    }
    DeleteProcThreadAttributeList(start.lpAttributeList);
    free(start.lpAttributeList);
    return error;
}

DWORD agent_start(const wchar_t *programs, const wchar_t *data, Agent *agent)
{
    HANDLE streams[3], output, errors;
    agent->job = make_job();
    agent->ready = CreateEventW(NULL, TRUE, FALSE, NULL);
    wchar_t *command = command_line(programs, data);
    if (!command || !agent->job || !agent->ready) return ERROR_OUTOFMEMORY;
    /* Machine-wide options of Node must not affect a service that runs as SYSTEM. */
    SetEnvironmentVariableW(L"NODE_OPTIONS", NULL);
    if (!make_pipe(&streams[0], &agent->input, TRUE) || !make_pipe(&streams[1], &output, FALSE) ||
        !make_pipe(&streams[2], &errors, FALSE)) {
        return GetLastError();
    }
    DWORD error = create_process(command, programs, streams, agent);
    free(command);
    for (int i = 0; i < 3; i++) CloseHandle(streams[i]);
    if (error) return error;
    agent->readers[0] = start_reader(output, agent->ready);
    agent->readers[1] = start_reader(errors, NULL);
    if (agent->readers[0] && agent->readers[1]) return 0;
    agent_kill(agent);
    return ERROR_OUTOFMEMORY;
}

void agent_ask_to_stop(Agent *agent)
{
    CloseHandle(agent->input);
    agent->input = NULL;
}

void agent_kill(Agent *agent)
{
    TerminateJobObject(agent->job, ERROR_PROCESS_ABORTED);
    WaitForSingleObject(agent->process, 5000);
}

DWORD agent_close(Agent *agent)
{
    DWORD code = 0;
    GetExitCodeProcess(agent->process, &code);
    WaitForMultipleObjects(2, agent->readers, TRUE, 2000);
    CloseHandle(agent->process);
    CloseHandle(agent->job);
    return code;
}
