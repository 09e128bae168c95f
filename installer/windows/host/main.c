/*
 * Service host of the agent: a Windows service that runs node.exe as its child.
 *
 * It is a program of its own, so that the service control manager is answered in time whatever the agent does,
 * and a crashed agent leaves an exit code and its last words.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "host.h"

const wchar_t *data_folder;

int wmain(int count, wchar_t **arguments)
{
    if (count != 3 || wcscmp(arguments[1], L"--data-dir") != 0) {
        fwprintf(stderr, L"usage: %ls --data-dir <folder>\n", arguments[0]);
        return ERROR_BAD_ARGUMENTS;
    }
    DWORD length = GetFullPathNameW(arguments[2], 0, NULL, NULL);
    wchar_t *folder = malloc(length * sizeof(wchar_t));
    if (!folder || !GetFullPathNameW(arguments[2], length, folder, NULL)) return ERROR_BAD_PATHNAME;
    data_folder = folder;
    SERVICE_TABLE_ENTRYW services[] = {{WIDE_SERVICE_NAME, service_main}, {NULL, NULL}};
    if (StartServiceCtrlDispatcherW(services)) return 0;
    DWORD error = GetLastError();
    if (error == ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
        fwprintf(stderr, L"This program is started by Windows: sc start %ls\n", WIDE_SERVICE_NAME);
    }
    return (int)error;
}

wchar_t *text_of(const wchar_t *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    int length = _vscwprintf(format, values);
    wchar_t *text = length < 0 ? NULL : malloc(((size_t)length + 1) * sizeof(wchar_t));
    if (text) _vsnwprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(values);
    return text;
}
