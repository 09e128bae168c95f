#include <stdlib.h>
#include <string.h>
#include "actions.h"

/** The longest time for a check of a small file; a longer one means that the check hangs. */
#define CHILD_LIMIT_MS 60000
#define OUTPUT_BYTES_MAX (1024 * 1024)

typedef struct {
    HANDLE pipe;
    char *bytes;
    size_t length;
} Stream;

/** Each direction has a thread, so that neither side waits for the other to read. */
static DWORD WINAPI write_all(void *argument)
{
    Stream *stream = argument;
    for (size_t done = 0; done < stream->length;) {
        DWORD written;
        if (!WriteFile(stream->pipe, stream->bytes + done, (DWORD)(stream->length - done), &written, NULL)) break;
        done += written;
    }
    CloseHandle(stream->pipe);
    return 0;
}

static DWORD WINAPI read_all(void *argument)
{
    Stream *stream = argument;
    char part[4096];
    DWORD length;
    while (ReadFile(stream->pipe, part, sizeof part, &length, NULL) && length > 0) {
        if (stream->length + length > OUTPUT_BYTES_MAX) continue;
        char *grown = realloc(stream->bytes, stream->length + length);
        if (!grown) continue;
        memcpy(grown + stream->length, part, length);
        stream->bytes = grown;
        stream->length += length;
    }
    CloseHandle(stream->pipe);
    return 0;
}

static DWORD start_process(const wchar_t *command, HANDLE input, HANDLE output, HANDLE *process)
{
    HANDLE inherited[] = {input, output};
    STARTUPINFOEXW start = {0};
    PROCESS_INFORMATION started;
    SIZE_T bytes = 0;
    DWORD error = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &bytes);
    start.lpAttributeList = malloc(bytes);
    wchar_t *line = text_of(L"%ls", command);
    if (!line || !start.lpAttributeList || !InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &bytes)) {
        free(line);
        free(start.lpAttributeList);
        return ERROR_OUTOFMEMORY;
    }
    UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited, sizeof inherited,
                              NULL, NULL);
    start.StartupInfo.cb = sizeof start;
    start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    start.StartupInfo.hStdInput = input;
    start.StartupInfo.hStdOutput = output;
    start.StartupInfo.hStdError = output;
    SetEnvironmentVariableW(L"NODE_OPTIONS", NULL);
    if (CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT, NULL, NULL,
                       &start.StartupInfo, &started)) {
        CloseHandle(started.hThread);
        *process = started.hProcess;
    } else {
        error = GetLastError();
    }
    DeleteProcThreadAttributeList(start.lpAttributeList);
    free(start.lpAttributeList);
    free(line);
    return error;
}

/** Waits for the end of a process and of what it prints. Returns 0 or a Windows error code. */
static DWORD wait_for(HANDLE process, HANDLE writer, HANDLE reader, DWORD *exit_code)
{
    DWORD error = 0;
    if (WaitForSingleObject(process, CHILD_LIMIT_MS) != WAIT_OBJECT_0) {
        error = ERROR_TIMEOUT;
        TerminateProcess(process, ERROR_TIMEOUT);
    }
    HANDLE threads[] = {writer, reader};
    WaitForMultipleObjects(2, threads, TRUE, INFINITE);
    GetExitCodeProcess(process, exit_code);
    CloseHandle(process);
    return error;
}

DWORD run_child(const wchar_t *command, const char *input, DWORD *exit_code, wchar_t **output)
{
    SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
    HANDLE child_input, child_output, process = NULL;
    Stream in = {NULL, (char *)input, strlen(input)}, out = {0};
    *output = NULL;
    if (!CreatePipe(&child_input, &in.pipe, &inherited, 0) || !CreatePipe(&out.pipe, &child_output, &inherited, 0)) {
        return GetLastError();
    }
    DWORD error = start_process(command, child_input, child_output, &process);
    CloseHandle(child_input);
    CloseHandle(child_output);
    if (error) return error;
    HANDLE writer = CreateThread(NULL, 0, write_all, &in, 0, NULL);
    HANDLE reader = CreateThread(NULL, 0, read_all, &out, 0, NULL);
    if (!writer || !reader) {
        /* The process is about to fail, but its threads still use these buffers, so they stay. */
        TerminateProcess(process, ERROR_OUTOFMEMORY);
        return ERROR_OUTOFMEMORY;
    }
    error = wait_for(process, writer, reader, exit_code);
    CloseHandle(writer);
    CloseHandle(reader);
    *output = from_utf8(out.bytes, out.length);
    free(out.bytes);
    return error ? error : (*output ? 0 : ERROR_OUTOFMEMORY);
}
