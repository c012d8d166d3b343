import { flowError } from '../../core/errors/flow-error';
import { ProcessPool } from '../processes/process-pool';
import { type ProcessSettings, ScriptProcess } from './script-process';

/** The processes of a sandbox. If none can be started, the caller gets SCRIPT_PROCESS_FAILED. */
export class ScriptProcesses extends ProcessPool<ScriptProcess> {
    constructor(settings: ProcessSettings) {
        super(() => started(settings));
    }
}

async function started(settings: ProcessSettings): Promise<ScriptProcess> {
    try {
        return await ScriptProcess.start(settings);
    } catch (error) {
        throw flowError('SCRIPT_PROCESS_FAILED', { problem: (error as Error).message }, { cause: error });
    }
}
