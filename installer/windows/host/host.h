#ifndef HOST_H
#define HOST_H

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Given by the build: WIDE_SERVICE_NAME (L"..."). */

/** Formatted text of any length, to be freed by the caller; null if memory runs out. */
wchar_t *text_of(const wchar_t *format, ...);

/* agent.c: node.exe with the agent, as a child that cannot outlive this process. */

typedef struct {
    HANDLE job;
    HANDLE process;
    /** The agent's standard input: closing it asks the agent to stop. */
    HANDLE input;
    /** The event that is set once the agent works. */
    HANDLE ready;
    HANDLE readers[2];
} Agent;

/** Starts the agent in the folder of this program. Returns 0 or a Windows error code. */
DWORD agent_start(const wchar_t *program_folder, const wchar_t *data_folder, Agent *agent);
void agent_ask_to_stop(Agent *agent);
void agent_kill(Agent *agent);
/** Waits for the last output of the ended agent. Returns its exit code. */
DWORD agent_close(Agent *agent);

/* bootstrap_log.c: messages of the agent and of this host outside of the agent's own log. */

void bootstrap_log_open(const wchar_t *data_folder);
void bootstrap_log_write(const char *bytes, DWORD length);
void bootstrap_log_line(const wchar_t *text);
/** The last lines that the agent has written, to be freed by the caller; null only if memory runs out. */
wchar_t *bootstrap_log_last(void);

/* event_log.c: the Application log of Windows. */

void report_started(void);
void report_stopped(void);
/** Reports a failure to the Application log and to the bootstrap log. */
void report_failure(const wchar_t *text);

/* service.c: the conversation with the service control manager. */

void WINAPI service_main(DWORD count, wchar_t **arguments);
extern const wchar_t *data_folder;

#endif
