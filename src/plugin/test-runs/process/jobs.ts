import type { JsonObject, JsonValue } from '../../../core/value/json';
import { type PreviewedFile, type PreviewRequest, readPreview } from '../../files/preview-reading';
import { extractJob } from './extract-job';
import { convertJob, profileJob } from './import-jobs';
import { localSource } from './local-source';
import { type JobResponse, type Job, type JobContext, type JobMessage, errorMessage } from './messages';
import { batchJob, recordsJob } from './operator-jobs';

const JOBS: Readonly<Record<Job['kind'], (context: JobContext) => Promise<JsonObject>>> = {
    records: recordsJob,
    batch: batchJob,
    extract: extractJob,
    preview: previewJob,
    profile: profileJob,
    convert: convertJob,
};

/** Executes one job after another until the server that started this process ends. */
export function begin(): void {
    // Ctrl-C is sent to all processes of a group. The server ends this process itself.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
    process.on('disconnect', () => process.exit(0));
    let job: Job | undefined;
    let items: JsonValue[] = [];
    process.on('message', (jobMessage: JobMessage) => {
        if ('job' in jobMessage) {
            job = jobMessage.job;
            void answer({ taken: true });
        } else if ('item' in jobMessage) items.push(jobMessage.item);
        else if (job) {
            const work = { settings: job.settings, items, send: (item: JsonObject) => answer({ item }) };
            void perform(job.kind, work);
            job = undefined;
            items = [];
        }
    });
    void answer({ ready: true });
}

async function perform(kind: Job['kind'], context: JobContext): Promise<void> {
    try {
        await answer({ done: await JOBS[kind](context) });
    } catch (error) {
        await answer({ failed: errorMessage(error) });
    }
}

function answer(message: JobResponse): Promise<void> {
    return new Promise(resolve => process.send!(message, () => resolve()));
}

/** The settings of a job that previews a file. */
interface PreviewSettings {
    readonly path: string;
    readonly file: PreviewedFile;
    readonly asked: PreviewRequest;
}

/** Reads the beginning of a file: sends its records one by one, and returns the facts about the file. */
async function previewJob({ settings, send }: JobContext): Promise<JsonObject> {
    const { path, file, asked: requested } = settings as unknown as PreviewSettings;
    const { signal } = new AbortController();
    const { records, ...rest } = await readPreview(file, { source: localSource(path), signal }, requested);
    for (const record of records) await send(record);
    return rest as unknown as JsonObject;
}
