#include <stdlib.h>
#include <string.h>
#include "host.h"

/** A file of this size is renamed to `.1`, so the log takes the room of two files at most. */
#define FILE_BYTES_MAX (1024 * 1024)
/** The number of characters that an event of the Application log quotes. */
#define LAST_BYTES 4096

static CRITICAL_SECTION lock;
static HANDLE file = INVALID_HANDLE_VALUE;
static wchar_t *path;
static LONGLONG size;
static char last[LAST_BYTES];
static DWORD last_length;

static void open_file(void)
{
    file = CreateFileW(path, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, OPEN_ALWAYS,
                       FILE_ATTRIBUTE_NORMAL, NULL);
    LARGE_INTEGER length = {0};
    if (file != INVALID_HANDLE_VALUE) GetFileSizeEx(file, &length);
    size = length.QuadPart;
}

static void rotate(void)
{
    CloseHandle(file);
    wchar_t *old = text_of(L"%ls.1", path);
    if (old) MoveFileExW(path, old, MOVEFILE_REPLACE_EXISTING);
    free(old);
    open_file();
}

void bootstrap_log_open(const wchar_t *folder)
{
    InitializeCriticalSection(&lock);
    wchar_t *logs = text_of(L"%ls\\logs", folder);
    if (logs) CreateDirectoryW(logs, NULL);
    free(logs);
    path = text_of(L"%ls\\logs\\service.log", folder);
    if (path) open_file();
}

static void remember(const char *bytes, DWORD length)
{
    if (length > LAST_BYTES) {
        bytes += length - LAST_BYTES;
        length = LAST_BYTES;
    }
    DWORD kept = last_length > LAST_BYTES - length ? LAST_BYTES - length : last_length;
    memmove(last, last + (last_length - kept), kept);
    memcpy(last + kept, bytes, length);
    last_length = kept + length;
}

static void append(const char *bytes, DWORD length)
{
    if (file != INVALID_HANDLE_VALUE && size + length > FILE_BYTES_MAX && size > 0) rotate();
    DWORD written = 0;
    if (file != INVALID_HANDLE_VALUE) WriteFile(file, bytes, length, &written, NULL);
    size += written;
}

void bootstrap_log_write(const char *bytes, DWORD length)
{
    EnterCriticalSection(&lock);
    append(bytes, length);
    remember(bytes, length);
    LeaveCriticalSection(&lock);
}

void bootstrap_log_line(const wchar_t *text)
{
    SYSTEMTIME now;
    GetSystemTime(&now);
    wchar_t *line = text_of(L"%04u-%02u-%02uT%02u:%02u:%02u.%03uZ host  %ls\r\n", now.wYear, now.wMonth, now.wDay,
                            now.wHour, now.wMinute, now.wSecond, now.wMilliseconds, text);
    if (!line) return;
    int length = WideCharToMultiByte(CP_UTF8, 0, line, -1, NULL, 0, NULL, NULL);
    char *bytes = malloc(length);
    if (bytes && WideCharToMultiByte(CP_UTF8, 0, line, -1, bytes, length, NULL, NULL)) {
        EnterCriticalSection(&lock);
        append(bytes, (DWORD)length - 1);
        LeaveCriticalSection(&lock);
    }
    free(bytes);
    free(line);
}

wchar_t *bootstrap_log_last(void)
{
    EnterCriticalSection(&lock);
    int length = MultiByteToWideChar(CP_UTF8, 0, last, (int)last_length, NULL, 0);
    wchar_t *text = calloc((size_t)length + 1, sizeof(wchar_t));
    if (text) MultiByteToWideChar(CP_UTF8, 0, last, (int)last_length, text, length);
    LeaveCriticalSection(&lock);
    return text;
}
