#include "host.h"
#include "messages.h"

static void report(WORD type, DWORD message, const wchar_t *text)
{
    HANDLE source = RegisterEventSourceW(NULL, WIDE_SERVICE_NAME);
    if (!source) return;
    ReportEventW(source, type, 0, message, NULL, text ? 1 : 0, 0, text ? &text : NULL, NULL);
    DeregisterEventSource(source);
}

void report_started(void)
{
    bootstrap_log_line(L"the agent has started");
    report(EVENTLOG_INFORMATION_TYPE, MESSAGE_STARTED, NULL);
}

void report_stopped(void)
{
    bootstrap_log_line(L"the agent has stopped");
    report(EVENTLOG_INFORMATION_TYPE, MESSAGE_STOPPED, NULL);
}

void report_failure(const wchar_t *text)
{
    bootstrap_log_line(text);
    report(EVENTLOG_ERROR_TYPE, MESSAGE_FAILURE, text);
}
