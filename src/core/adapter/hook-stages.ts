/** When hooks run; there are no records yet before an EXTRACT. */
export const HOOK_STAGES = [
    'BEFORE_EXTRACT',
    'AFTER_EXTRACT',
    'BEFORE_TRANSFORM',
    'AFTER_TRANSFORM',
    'BEFORE_VALIDATE',
    'AFTER_VALIDATE',
    'BEFORE_ROUTE',
    'AFTER_ROUTE',
    'BEFORE_LOAD',
    'AFTER_LOAD',
    'BEFORE_SINK',
    'AFTER_SINK',
    'BEFORE_GATE',
    'AFTER_GATE',
    'RUN_STARTED',
    'RUN_COMPLETED',
    'RUN_FAILED',
    'RUN_PAUSED',
    'RUN_CANCELLED',
    'ON_RECORD_ERROR',
    'ON_RETRY',
] as const;

/** One of the moments at which a hook can run. */
export type HookStage = (typeof HOOK_STAGES)[number];
