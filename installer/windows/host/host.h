#ifndef HOST_H
#define HOST_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Given by the build: WIDE_SERVICE_NAME (L"..."). */

/** Formatted text of any length, to be freed; null when memory is out. */
wchar_t *text_of(const wchar_t *format, ...);

/* agent.c: node.exe with the agent, as a child that cannot outlive this process. */

typedef struct {
    HANDLE job;
    HANDLE process;
    /** Its end of file asks the agent to stop. */
    HANDLE input;
    /** Set once the agent has said that it works. */
    HANDLE ready;
    HANDLE readers[2];
} Agent;

/** Starts the agent that lies beside this program. Returns 0 or a Windows error code. */
DWORD agent_start(const wchar_t *program_folder, const wchar_t *data_folder, Agent *agent);
void agent_ask_to_stop(Agent *agent);
void agent_kill(Agent *agent);
/** Waits for what the ended agent has still written. Returns its exit code. */
DWORD agent_close(Agent *agent);

/* bootstrap_log.c: what the agent and this host say outside of the agent's own log. */

void bootstrap_log_open(const wchar_t *data_folder);
void bootstrap_log_write(const char *bytes, DWORD length);
void bootstrap_log_line(const wchar_t *text);
/** The last lines the agent has written, to be freed; never null unless memory is out. */
wchar_t *bootstrap_log_last(void);

/* event_log.c: the Application log of Windows. */

void report_started(void);
void report_stopped(void);
/** Also goes to the bootstrap log. */
void report_failure(const wchar_t *text);

/* service.c: the conversation with the service control manager. */

void WINAPI service_main(DWORD count, wchar_t **arguments);
extern const wchar_t *data_folder;

#endif
