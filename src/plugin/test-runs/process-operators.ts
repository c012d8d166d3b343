import type { LogLevel, StepLog } from '../../core/adapter/context';
import { type LogText, logEventOf } from '../../core/log/log-text';
import { writeEvent } from '../../core/adapter/log-event';
import type { ExtractContext, Extractor, Page, PageIssue } from '../../core/adapter/extractor';
import type { BatchFn } from '../../core/adapter/operator';
import type { Registry } from '../../core/adapter/registry';
import type { JsonObject, JsonValue } from '../../core/value/json';
import type { Batch, FlowRecord } from '../../core/data/record';
import { operators } from '../../core/operators';
import { callsWithin, type OperatorCall } from '../../core/schema/operator-calls';
import type {
    CalledOperators,
    OffloadedOperators,
    OffloadResult,
    OffloadRequest,
    SourceCall,
} from '../../core/steps/offloaded-operators';
import { FILE_EXTRACTORS } from './process/extract-job';
import { type Job, readError, type ErrorMessage } from './process/messages';
import type { TestRunProcesses } from './process/test-run-processes';

/** Of the core's operators those that remember something beyond their batch, which only the run itself can. */
const REMEMBERS: ReadonlySet<string> = new Set(['deltaFilter']);

/** Operators of a step test, in a process that the server can lose. Those of the shop's own code and those that reach outside stay in the server. */
export class ProcessOperators implements OffloadedOperators {
    constructor(
        private readonly processes: Pick<TestRunProcesses, 'perform'>,
        private readonly registry: Registry,
        private readonly signal: AbortSignal,
    ) {}

    takes({ op, args = {} }: OperatorCall): boolean {
        const operator = this.registry.get('operator', op);
        const isOurs = operators.some(own => own === operator) && !REMEMBERS.has(operator.code);
        return (
            isOurs &&
            callsWithin(operator.config, args as JsonObject).every(({ call }) =>
                this.takes(call as unknown as OperatorCall),
            )
        );
    }

    async records({ batch, log, reject, visit, ...called }: OffloadRequest): Promise<OffloadResult> {
        const out: Array<OffloadResult['out'][number]> = [];
        const { sourceKey, batchNo, number } = visit;
        const onItem = (item: JsonObject): void => {
            const { from, data } = item as { readonly from?: number; readonly data?: JsonObject };
            if (from !== undefined) out.push({ from, data: data ?? batch[from]!.data });
            else if (item['reject'] !== undefined)
                reject(item['reject'] as number, readError(item['error'] as unknown as ErrorMessage));
            else forward(log, item);
        };
        const settings = { ...called, visit: { sourceKey, batchNo, number } };
        const done = await this.perform(
            { kind: 'records', settings: settings as unknown as JsonObject },
            batch,
            onItem,
        );
        const { expanded, filtered, reads } = done as unknown as Omit<OffloadResult, 'out'>;
        return { out, expanded, filtered, reads };
    }

    batch(called: CalledOperators): BatchFn {
        return async (batch, cx) => {
            const out: FlowRecord[] = [];
            const onItem = (item: JsonObject): void => {
                const { same, of, data } = item as Readonly<{
                    same?: number;
                    of?: readonly number[];
                    data?: JsonObject;
                }>;
                const error = (): ReturnType<typeof readError> => readError(item['error'] as unknown as ErrorMessage);
                if (same !== undefined) out.push(batch[same]!);
                else if (of)
                    out.push(
                        cx.derive(
                            data!,
                            of.map(index => batch[index]!),
                        ),
                    );
                else if (item['reject'] !== undefined) cx.reject(batch[item['reject'] as number]!, error());
                else if (item['warn'] !== undefined) cx.warn(batch[item['warn'] as number]!, error());
                else forward(cx.log, item);
            };
            const settings = { ...called, place: cx.place, mode: cx.mode };
            await this.perform({ kind: 'batch', settings: settings as unknown as JsonObject }, batch, onItem);
            return out;
        };
    }

    source({ stepKey, extractor, config }: SourceCall): Extractor['extract'] | undefined {
        const { fileId } = config;
        const isOurs = FILE_EXTRACTORS.some(own => own === extractor) && typeof fileId === 'string';
        return isOurs ? (_, cx) => this.pages({ stepKey, code: extractor.code, config, fileId }, cx) : undefined;
    }

    /** A file is read up to as many records as are wanted, and is there as a file of this machine meanwhile. */
    private async *pages({ fileId, ...read }: FileSource, cx: ExtractContext): AsyncGenerator<Page, void, void> {
        const found = await cx.files.find(fileId);
        const local = found && found.size > 0 ? await found.content.local(cx.signal) : undefined;
        const pages = new PagesTold();
        try {
            const { content: _, ...known } = found ?? {};
            const { limit = null, resumeFrom = null } = cx;
            const settings = { ...read, limit, resumeFrom, file: found ? { ...known, path: local?.path ?? '' } : null };
            const onItem = (item: JsonObject): void => {
                if (item['log'] === undefined) pages.onItem(item);
                else forward(cx.log, item);
            };
            const { signal } = this;
            await this.processes.perform(
                { kind: 'extract', settings: settings as unknown as JsonObject },
                { onItem, signal },
            );
        } finally {
            await local?.release();
        }
        yield* pages.all;
    }

    private perform(job: Job, batch: Batch, onItem: (item: JsonObject) => void): Promise<JsonObject> {
        const items = batch.map(({ data, origin }): JsonValue => [origin.seq, data]);
        return this.processes.perform(job, { items, onItem, signal: this.signal });
    }
}

interface FileSource {
    readonly stepKey: string;
    readonly code: string;
    readonly config: JsonObject;
    readonly fileId: string;
}

/** Pages that come piece by piece. */
class PagesTold {
    readonly all: Page[] = [];
    private records: JsonObject[] = [];
    private places: Array<string | null> = [];
    private issues: PageIssue[] = [];

    onItem({ record, place, fault: issue, checkpoint }: JsonObject): void {
        if (record !== undefined) {
            this.records.push(record as JsonObject);
            this.places.push(place as string | null);
        } else if (issue !== undefined) this.issues.push(issue as unknown as PageIssue);
        else this.end(checkpoint!);
    }

    private end(checkpoint: JsonValue): void {
        const { records, places, issues } = this;
        this.all.push({ records, faults: issues, checkpoint, placeOf: index => places[index] ?? undefined });
        this.records = [];
        this.places = [];
        this.issues = [];
    }
}

function forward(log: StepLog, { log: level, event, message, facts }: JsonObject): void {
    if (typeof event === 'string' && logEventOf(event))
        return writeEvent(log, { event, message, facts } as unknown as LogText, level as LogLevel);
    const line = log[level as Lowercase<LogLevel> as keyof StepLog] as StepLog['info'];
    line(message as string, (facts as JsonObject | null) ?? undefined);
}
