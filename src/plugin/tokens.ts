/** The tokens of Flow's providers, and the names that other processes know. */
export const FLOW_SETUP = Symbol('FLOW_SETUP');
export const FLOW_DATABASE = Symbol('FLOW_DATABASE');
/** Where the leases of leaders are held. */
export const FLOW_LEASES = Symbol('FLOW_LEASES');
/** Whether this process does periodic work. */
export const FLOW_IS_QUEUE_WORKER = Symbol('FLOW_IS_WORKED_HERE');
/** The storage of uploaded files. */
export const FLOW_FILES = Symbol('FLOW_FILES');

/** The job queue of the runs. */
export const RUN_QUEUE = 'flow.run';

/** The job queue of the events for which runs are to be started. */
export const EVENT_QUEUE = 'flow.event-trigger-outbox';

/** The job queue of actions on remote files. */
export const REMOTE_ACTION_QUEUE = 'flow.remote-source-acknowledgement';

/** The context under which Flow writes to Vendure's log. */
export const LOG_CONTEXT = 'FlowPlugin';
