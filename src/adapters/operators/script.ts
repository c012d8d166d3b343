import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import type { ResultLimits } from '../../core/adapter/inline-script';
import { batchOperator, type OperatorContext } from '../../core/adapter/operator';
import { logEvent, writeConsole } from '../../core/adapter/log-event';
import { testRunTooLarge, TEST_RUN_CHARS } from '../../core/adapter/test-run-limits';
import type { JsonValue } from '../../core/value/json';
import type { Batch } from '../../core/data/record';
import { HOLDER_WEIGHT } from '../../core/data/weight';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { scriptCode } from '../../core/schema/code-fields';
import { json, withRules } from '../../core/schema/fields';
import { type ContextFields, scriptNames } from '../../core/schema/script-scope';
import { sandbox } from '../../io/sandbox/sandbox';

/** The maximum number of failures of a batch that are logged one by one. */
const MAX_TOLD = 5;

/** The argument `context` of the code. */
const CONTEXT = {
    data: { type: 'unknown', about: 'The argument `context` of the operator.' },
    stepKey: { type: 'string', about: 'The key of the step.' },
    runId: { type: 'string', about: 'The id of the run.' },
    mode: { type: "'live' | 'dryRun' | 'preview'", about: 'What the run is for.' },
} as const satisfies ContextFields;

const config = withRules(
    z.strictObject({
        code: scriptCode(
            'Code',
            'The body of a function (record, index, context), or with batch (records, context), which returns the record or the records.',
            [
                { showIf: { batch: [false] }, names: scriptNames('record', CONTEXT) },
                { showIf: { batch: [true] }, names: scriptNames('batch', CONTEXT) },
            ],
        ),
        batch: z.boolean().default(false).meta({
            title: 'Batch',
            description: 'Whether it is called once with all records of a batch instead of once for each record.',
        }),
        timeout: z.int().min(1).max(300_000).default(5000).meta({
            title: 'Timeout',
            description: 'The time limit for one call, in milliseconds.',
        }),
        failOnError: z.boolean().default(false).meta({
            title: 'Fail on error',
            description:
                'Whether a failed call rejects its record, or all records of its batch. Otherwise a warning is logged and the records continue unchanged.',
        }),
        context: json('Context', 'The value of context.data in the code.').optional(),
    }),
    ({ code, batch }, issue) => {
        const problem =
            typeof code === 'string' ? sandbox.syntaxProblem(code, batch === true ? 'batch' : 'record') : undefined;
        if (problem !== undefined) issue('code', problem);
    },
);

type Config = z.output<typeof config>;

/** Runs the JavaScript of a step in the sandbox. */
export const script = batchOperator({
    code: 'script',
    category: 'Scripting',
    title: 'Run a script',
    summary: 'Changes records with your own JavaScript, isolated from the shop and everything else.',
    config,
    notes: [
        'The code has only the language: no require or import, network, files, environment or timers. It runs in a separate process with 128 MiB of memory and is stopped when its time limit is reached.',
        'index is the position of the record in its source, starting with 0, whatever the batch size. context has data, stepKey, runId and mode ("live", "dryRun" or "preview"), and is read-only.',
        'No state is kept between calls, and the built-in objects cannot be changed. Date and Math.random work, but then a batch that is repeated after a crash has different results.',
        'Results must be JSON: a date, NaN, a function or more than 32 levels of nesting are an error that names the field. Undefined fields are omitted. Promises are awaited.',
        'In batch mode, the code may return more or fewer records. Flow cannot know which record was made from which one, so a later error of one of them counts for the whole batch in the data that later steps remember.',
        "console.log and similar functions write to the run's log, at most 20 lines per batch.",
        'Saving and publishing code needs the permission EditFlowScript. The plugin option security.inlineScripts: false disables scripts.',
    ],
    examples: [
        {
            args: { code: 'return { ...record, label: `${record.brand ?? "?"} ${record.name}` };' },
            in: [{ name: 'Trail', brand: 'Ångström' }, { name: 'Sock', brand: null }, { name: '😀' }],
            out: [
                { name: 'Trail', brand: 'Ångström', label: 'Ångström Trail' },
                { name: 'Sock', brand: null, label: '? Sock' },
                { name: '😀', label: '? 😀' },
            ],
        },
        {
            args: {
                code: 'return records.filter(record => record.stock > context.data.least);',
                batch: true,
                context: { least: 2 },
            },
            in: [{ sku: 'A', stock: 5 }, { sku: 'B', stock: 1 }, { sku: 'C' }],
            out: [{ sku: 'A', stock: 5 }],
            note: 'In batch mode, the code receives a list and returns a list.',
        },
        {
            args: { code: 'record.tag = record.tags[0].toUpperCase();\nreturn record;' },
            in: [{ tags: ['new'] }, { tags: [] }, {}],
            out: [{ tags: ['new'], tag: 'NEW' }, { tags: [] }, {}],
            note: 'If the code fails for a record, the record continues unchanged, with a warning in the log.',
        },
        {
            args: { code: 'record.price = record.price.amount * 100;\nreturn record;', failOnError: true },
            in: [{ price: { amount: 2 } }, { price: null }, { price: {} }],
            out: [{ price: 200 }],
            errors: [
                "TypeError: cannot read property 'amount' of null (line 1)",
                'field "price" is NaN; allowed: JSON values',
            ],
            note: 'With failOnError, such a record is rejected.',
        },
        {
            args: { code: 'while (true) {}', timeout: 20, failOnError: true },
            in: [{ sku: 'A' }],
            out: [],
            errors: ['The script did not end within 20 ms'],
        },
    ],
    open: args => (batch, cx) => new Call(args, cx).run(batch),
});

/** The operator for shops that allow no code in definitions. It is registered, but rejected in every step. */
export const rejectedScript: typeof script = {
    ...script,
    config: withRules(script.config, (_, issue) =>
        issue('code', clause`is not allowed: the plugin option security.inlineScripts is false`),
    ),
};

/** A step test cannot show more, and must not hold it in the server's memory. */
const TRIED: ResultLimits = {
    chars: TEST_RUN_CHARS,
    values: TEST_RUN_CHARS / HOLDER_WEIGHT,
    exceeded: testRunTooLarge,
};

/** One batch. */
class Call {
    constructor(
        private readonly args: Config,
        private readonly cx: OperatorContext,
    ) {}

    async run(batch: Batch): Promise<Batch> {
        if (batch.length === 0) return batch;
        return this.args.batch ? this.runBatch(batch) : this.runEach(batch);
    }

    private async runEach(batch: Batch): Promise<Batch> {
        const { results, ...said } = await sandbox.each({
            ...this.order(batch),
            indexes: batch.map(({ origin }) => origin.seq),
        });
        writeConsole(this.cx.log, said);
        const failures: Failure[] = [];
        const out = batch.flatMap((record, place) => {
            const result = results[place]!;
            if (!isFlowError(result)) return [{ data: result, origin: record.origin }];
            if (this.args.failOnError) {
                this.cx.reject(record, result);
                return [];
            }
            failures.push({ error: result, seq: record.origin.seq });
            return [record];
        });
        this.warn(failures);
        return out;
    }

    private async runBatch(batch: Batch): Promise<Batch> {
        const { answer, ...said } = await sandbox.batch({ ...this.order(batch), isRead: true });
        writeConsole(this.cx.log, said);
        const result =
            answer ??
            flowError('SCRIPT_FAILED', {
                problem: 'it answered nothing; the code is the body of a function and must return the records',
            });
        if (!isFlowError(result)) {
            const [first] = result.records;
            if (!first) return [];
            const { origin } = this.cx.derive(first, batch);
            return result.records.map(data => ({ data, origin }));
        }
        if (this.args.failOnError) {
            for (const record of batch) this.cx.reject(record, result);
            return [];
        }
        const { batchNo } = this.cx.place;
        logEvent(this.cx.log, 'SCRIPT_SKIPPED_BATCH', { error: result, records: batch.length, batch: batchNo });
        return batch;
    }

    private order(batch: Batch) {
        const { code, timeout, context } = this.args;
        const { stepKey, mode, signal, place } = this.cx;
        const told: Record<keyof typeof CONTEXT, JsonValue> = {
            data: context ?? null,
            stepKey,
            runId: place.runId,
            mode,
        };
        return {
            code,
            timeoutMs: timeout,
            signal,
            context: told,
            records: batch.map(({ data }) => data),
            ...(mode === 'preview' && { limits: TRIED }),
        };
    }

    private warn(failures: readonly Failure[]): void {
        const { log } = this.cx;
        for (const { error, seq } of failures.slice(0, MAX_TOLD))
            logEvent(log, 'SCRIPT_SKIPPED_RECORD', { error, record: seq + 1, seq });
        const more = failures.length - MAX_TOLD;
        if (more > 0) logEvent(log, 'SCRIPT_SKIPPED_MORE', { count: more, batch: this.cx.place.batchNo });
    }
}

interface Failure {
    readonly error: FlowError;
    readonly seq: number;
}
