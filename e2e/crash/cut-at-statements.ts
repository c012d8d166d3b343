import { type RunAnswer, until } from '../config/flow-server';
import { shapeOf } from '../config/wire-statements';
import type { Cut, FaultProxy } from '../config/fault-proxy';
import type { CrashBench } from './crash-bench';
import { EVERY_STEP, EveryStep, GATE_PATH } from './every-step';
import { PATIENCE_MS, RETRY } from './import';
import { counted } from './killed-at-a-line';
import { differences, type ShopDump } from './shop-dump';

/** Whether a run loads its records or only plans it. */
export type RunKind = 'live' | 'dryRun';

/** A statement, without its values, that a worker sends for a run. */
export interface LearnedStatement {
    readonly text: string;
    readonly kind: RunKind;
    /** Only the first run of a worker process sends it. */
    readonly isFirstRunOnly: boolean;
}

/** A connection that is cut once: when a worker sends this statement, before it arrives or before its answer does. */
export interface StatementCut extends LearnedStatement {
    readonly where: Cut;
}

/** The result of a run with cut connections. */
export interface CutRun {
    readonly run: RunAnswer;
    /** Cuts whose statement was not sent this time. */
    readonly unsent: readonly StatementCut[];
    /** Where the run or the shop differ from an undisturbed run. */
    readonly differences: readonly string[];
    /** Why workers ended by themselves. Vendure's SQL job queue does not catch errors of its statements. */
    readonly ends: readonly string[];
}

/** The state after a run. */
interface Outcome {
    readonly run: RunAnswer;
    readonly dump: ShopDump;
}

type Decide = (statement: string) => Cut | undefined | void;

const NAME = /trial\d{4}x/g;
const UNDISTURBED: Decide = () => undefined;

/** Runs the pipeline with every kind of step, learns the statements that its worker sends, and cuts the connection at them. */
export class CutAtStatements {
    readonly statements: LearnedStatement[] = [];
    private readonly expected: Partial<Record<RunKind, ShopDump>> = {};
    private count = 0;
    private isShopAsExpected = true;
    private lastDump: ShopDump | undefined;

    private constructor(
        private readonly bench: CrashBench,
        private readonly everyStep: EveryStep,
    ) {}

    /** Makes the pipelines and learns the statements. Throws when two undisturbed runs differ. */
    static async open(bench: CrashBench): Promise<CutAtStatements> {
        const everyStep = new EveryStep(bench);
        await everyStep.open();
        const cuts = new CutAtStatements(bench, everyStep);
        await bench.crew.proxied();
        // The first two find no records or no export of an earlier run, so their changes are not those of the others.
        await cuts.perform('live', UNDISTURBED);
        await cuts.onNewWorker();
        const first = new Set<string>();
        await cuts.perform('live', statement => void first.add(statement));
        for (const kind of ['live', 'live', 'dryRun', 'dryRun'] as const) await cuts.learn(kind);
        cuts.add(first, 'live', true);
        return cuts;
    }

    close(): Promise<void> {
        return this.everyStep.close();
    }

    /** Performs a run in which the connection is cut once at each of these statements. They are of the same kind of run. */
    async cut(cuts: readonly StatementCut[]): Promise<CutRun> {
        const kind = cuts[0]?.kind ?? 'live';
        // The next run would differ as well: it looks at what the one before has loaded.
        if (!this.isShopAsExpected) await this.perform('live', UNDISTURBED);
        if (cuts.some(({ isFirstRunOnly }) => isFirstRunOnly)) await this.onNewWorker();
        const open = new Map(cuts.map(one => [one.text, one]));
        const deaths = this.bench.crew.deaths.length;
        const { run, dump } = await this.perform(kind, statement => {
            const due = open.get(statement);
            open.delete(statement);
            return due?.where;
        });
        const ends = this.bench.crew.deaths.slice(deaths);
        const expected = this.expected[kind]!;
        // The run of a worker that the job queue has ended is taken over. Everything else has to be equal.
        const differing =
            ends.length > 0 && ends.every(isOfJobQueue)
                ? differences(withoutTakeovers(expected), withoutTakeovers(dump))
                : differences(expected, dump);
        this.isShopAsExpected = differing.length === 0;
        return { run, unsent: [...open.values()], differences: differing, ends: ends.map(reasonOf) };
    }

    private async onNewWorker(): Promise<void> {
        const worker = await this.bench.crew.working();
        await worker.kill('SIGKILL');
        await this.bench.endLeases();
        await this.bench.crew.relieve();
    }

    /** Learns the statements of an undisturbed run on a worker that has done such runs before. */
    private async learn(kind: RunKind): Promise<void> {
        const sent = new Set<string>();
        const { run, dump } = await this.perform(kind, statement => void sent.add(statement));
        if (run.status !== 'COMPLETED') throw new Error(`An undisturbed run ended as ${JSON.stringify(run)}`);
        const differing = differences(this.expected[kind] ?? dump, dump);
        if (differing.length > 0) throw new Error(`Two undisturbed runs differ: ${differing.join('; ')}`);
        this.expected[kind] = dump;
        this.add(sent, kind, false);
    }

    private add(sent: ReadonlySet<string>, kind: RunKind, isFirstRunOnly: boolean): void {
        const known = new Set(this.statements.map(({ text }) => text));
        for (const text of sent) if (!known.has(text)) this.statements.push({ text, kind, isFirstRunOnly });
    }

    private async perform(kind: RunKind, decide: Decide): Promise<Outcome> {
        const { bench, everyStep } = this;
        const { shop, crew } = bench;
        const name = `trial${String(++this.count).padStart(4, '0')}x`;
        await everyStep.publish(name, kind === 'live');
        await this.isDone();
        const before = this.lastDump ?? (await bench.dump());
        const since = await counted(bench, 'SELECT coalesce(max(id), 0) AS n FROM flow_pipeline_run');
        crew.armProxies(proxy => onStatement(proxy, decide));
        const { id } = await shop.start(EVERY_STEP, kind === 'live' ? 'startFlowPipelineRun' : 'dryRunFlowPipeline');
        await this.isDone();
        const run = await shop.run(id);
        crew.armProxies(proxy => onStatement(proxy, UNDISTURBED));
        const after = await bench.dump();
        this.lastDump = after;
        const dump = {
            ...changesBetween(before, after),
            // Files whose removal was interrupted are hidden until they are swept.
            flow_managed_file: await everyStep.exportedFiles(),
            '(runs)': await this.runsSince(since),
            '(deliveries)': this.deliveries(run.id),
            '(export)': [masking(await everyStep.exported())],
        };
        return { run, dump };
    }

    /** All runs have ended, and what they changed is announced, indexed and applied to collections. */
    private async isDone(): Promise<void> {
        const { bench } = this;
        await until(
            async () => {
                await bench.crew.working();
                return counted(
                    bench,
                    `SELECT (SELECT count(*) FROM flow_pending_effect WHERE kind NOT LIKE 'Flow%') +
                        (SELECT count(*) FROM flow_pipeline_run WHERE status IN ('PENDING', 'RUNNING', 'PAUSED')) AS n`,
                );
            },
            open => open === 0,
            PATIENCE_MS,
        );
        await bench.isQuiet();
    }

    /** Of each run what a user sees of it, and whether a retry or a takeover was spent. */
    private async runsSince(id: number): Promise<readonly string[]> {
        const { database, shop } = this.bench;
        const rows = await database.rows<{ id: unknown; code: string; takeovers: unknown; retries: unknown }>(`
            SELECT r.id, p.code, r.takeovers,
                (SELECT count(*) FROM flow_log l WHERE l.run_id = r.id AND l.code = '${RETRY}') AS retries
            FROM flow_pipeline_run r JOIN flow_pipeline p ON p.id = r.pipeline_id WHERE r.id > ${id}`);
        const told = await Promise.all(
            rows.map(async ({ id: runId, code, takeovers, retries }) => {
                const { status, outcome, counters, error, report } = await shop.run(`T_${String(runId)}`);
                return [
                    [code, status, outcome, error?.code, takeovers, 'takeovers', retries, 'retries'].join(' '),
                    `${code} plans ${JSON.stringify(report?.steps ?? [])}, ${report?.differencesTotal ?? 0} differences`,
                    ...counters.map(({ stepKey, ...figures }) => {
                        const counted = Object.entries(figures).filter(([, count]) => Number(count) > 0);
                        return `${code} ${stepKey}: ${counted.map(pair => pair.join(' ')).join(', ')}`;
                    }),
                ];
            }),
        );
        return told.flat().sort();
    }

    /**
     * Each different request once: it may be repeated with the same id. The notification of the gate is left out, since
     * a gate that opened in the meantime needs none.
     */
    private deliveries(runId: string): readonly string[] {
        const { delivered } = this.everyStep;
        const own = runId.replace(/\D/g, '');
        const bodies = new Map<string, Set<string>>();
        for (const { path, id, body } of delivered.filter(one => one.path !== GATE_PATH)) {
            const masked = masking(body).replace(new RegExp(`":"(T_)?${own}(?=[/"])`, 'g'), '":"*');
            bodies.set(`${path} ${id}`, (bodies.get(`${path} ${id}`) ?? new Set()).add(masked));
        }
        return [...bodies].map(([key, all]) => `${key.split(' ')[0]}: ${[...all].join(' or ')}`).sort();
    }
}

/** The last statement of each connection that was not a COMMIT. */
const last = new WeakMap<object, string>();

/** Decides at each statement, without its values. COMMITs are distinguished by the statement before them. */
function onStatement(proxy: FaultProxy, decide: Decide): void {
    proxy.onStatement((text, connection) => {
        const shape = shapeOf(text);
        const isCommit = shape === 'COMMIT';
        if (!isCommit) last.set(connection, shape);
        return decide(isCommit ? `COMMIT after ${last.get(connection)}` : shape) ?? undefined;
    });
}

/** Masks in a row or a request what differs between any two runs. */
const masking = (text: string): string =>
    text
        .replace(NAME, '*')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
        .replace(/(\\?"(?:run|startedAt)\\?":)(?:\\?"\d+\\?"|\d+)/g, '$1*')
        .replace(/(\["key","deltaFilter:.*\["value",)"\d+"/, '$1"*"');

/** Rows that were added and rows that were removed, with the names of the run's records masked. */
function changesBetween(before: ShopDump, after: ShopDump): ShopDump {
    const tables = Object.keys(after).map(table => {
        const [ours, theirs] = [after[table] ?? [], before[table] ?? []];
        const came = missingIn(theirs, ours).map(row => `+ ${masking(row)}`);
        const went = missingIn(ours, theirs).map(row => `- ${masking(row)}`);
        return [table, [...came, ...went].sort()] as const;
    });
    return Object.fromEntries(tables);
}

/** Returns each row of the second list as often as it has more copies there than in the first. */
function missingIn(rows: readonly string[], others: readonly string[]): readonly string[] {
    const left = new Map<string, number>();
    for (const row of rows) left.set(row, (left.get(row) ?? 0) + 1);
    return others.filter(row => {
        const count = left.get(row) ?? 0;
        left.set(row, count - 1);
        return count <= 0;
    });
}

/** Whether the last words of a worker are an error of a statement of Vendure's job queue. */
function isOfJobQueue(death: string): boolean {
    return /^\s*query: .*\bjob_record\b/m.test(death);
}

/** The error of a worker that ended, and its statement. */
function reasonOf(death: string): string {
    const lines = death.split('\n').map(line => line.trim());
    const error = lines.find(line => /^\w*[eE]rror: /.test(line)) ?? death.slice(0, 200);
    const query = lines.find(line => line.startsWith('query: '));
    return query === undefined ? error : `${error} ${query}`;
}

function withoutTakeovers(dump: ShopDump): ShopDump {
    const runs = (dump['(runs)'] ?? []).map(line => line.replace(/ \d+ takeovers /, ' '));
    return { ...dump, '(runs)': runs };
}
