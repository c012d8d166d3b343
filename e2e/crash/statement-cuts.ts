import type { CrashBench } from './crash-bench';
import { CutAtStatements, type LearnedStatement, type StatementCut } from './cut-at-statements';

/** The result of the cuts at some or all statements. */
export interface StatementCuts {
    /** How many statements the undisturbed runs sent. */
    readonly learned: number;
    /** How many of them a connection was cut at, and those that were not sent again. */
    readonly cut: number;
    readonly unsent: readonly string[];
    /** What went wrong, with the statements of that run. */
    readonly differences: readonly string[];
    readonly runs: number;
}

/** A busy machine must not take longer for a lease than a worker with a lost connection. */
export const CUT_TIMES = { leaseMs: 6000, sweepMs: 500 };

interface Options {
    readonly tell?: (line: string) => void;
}

/** The number of statements at which one run is cut. */
const GROUP = 6;
/**
 * TypeORM's own reads and writes name tables by aliases. Flow's scripts, which share one function for all statements,
 * do not.
 */
const SENT_BY_TYPEORM = /"(\w+)"\."\w+" AS "\1_|`(\w+)`\.`\w+` AS `\2_/;
/** Loads read the shop through one function. */
const READ_BY_LOADS =
    /^(?:StockLocation|TaxCategory|Promotion|entity|Collection|Product|ProductVariant|StockLevel|record|JobRecord)$/;

/**
 * Cuts the connection at the statements that do not use Flow's scripts, except those of loads and of the job queue.
 * Each run has six cuts: every other one before the statement arrives, the rest before its response.
 */
export async function cutAtSample(bench: CrashBench): Promise<StatementCuts> {
    return cutting(bench, {
        groups: statements => inGroups(statements.filter(isInSample).map(beforeAndAfterInTurn)),
    });
}

/**
 * Cuts the connection at every statement: first every other one before it arrives and the rest before their responses,
 * then the other way round.
 */
export async function cutAtEvery(
    bench: CrashBench,
    { most, tell = () => undefined }: Options & { readonly most: number },
): Promise<StatementCuts> {
    return cutting(bench, {
        tell,
        isExhaustive: true,
        groups: statements => {
            const chosen = statements.slice(0, most);
            const swapped = chosen.map((statement, index) => beforeAndAfterInTurn(statement, index + 1));
            return [...inGroups(chosen.map(beforeAndAfterInTurn)), ...inGroups(swapped)];
        },
    });
}

function isInSample({ text, kind, isFirstRunOnly }: LearnedStatement): boolean {
    const alias = SENT_BY_TYPEORM.exec(text);
    return kind === 'live' && !isFirstRunOnly && alias !== null && !READ_BY_LOADS.test(alias[1] ?? alias[2] ?? '');
}

function inGroups(cuts: readonly StatementCut[]): ReadonlyArray<readonly StatementCut[]> {
    return Array.from({ length: Math.ceil(cuts.length / GROUP) }, (_, i) => cuts.slice(i * GROUP, (i + 1) * GROUP));
}

function beforeAndAfterInTurn(statement: LearnedStatement, index: number): StatementCut {
    return { ...statement, where: index % 2 === 0 ? 'before' : 'after' };
}

interface Cutting extends Options {
    readonly groups: (statements: readonly LearnedStatement[]) => ReadonlyArray<readonly StatementCut[]>;
    /** True: statements that were not sent again are tried once more, each alone. */
    readonly isExhaustive?: boolean;
}

async function cutting(
    bench: CrashBench,
    { groups, isExhaustive = false, tell = () => undefined }: Cutting,
): Promise<StatementCuts> {
    const cuts = await CutAtStatements.open(bench);
    try {
        const { statements } = cuts;
        const planned = groups(statements);
        tell(`${statements.length} statements learned, ${planned.length} runs planned: ${byTable(statements)}`);
        const done = new Set<string>();
        const [unsent, differences]: [Set<string>, string[]] = [new Set(), []];
        const cutIn = async (group: readonly StatementCut[]): Promise<void> => {
            const result = await cuts.cut(group);
            const missed = new Set(result.unsent);
            for (const one of group) (missed.has(one) ? unsent : done).add(one.text);
            const listed = group.map(({ text, where }) => `${where} ${text}`).join('\n  ');
            if (result.differences.length > 0)
                differences.push(`${result.run.status}: ${result.differences.join('; ')}\n  ${listed}`);
            const word = result.differences.length > 0 ? 'DIFFERS' : missed.size > 0 ? 'not sent' : 'equal';
            const ends = result.ends.map(reason => `; a worker ended by itself: ${reason}`).join('');
            tell(`${word}${ends}\n  ${listed}`);
        };
        for (const group of planned) await cutIn(group);
        // Another cut of the same run may have made a statement unnecessary. Each of these gets separate runs.
        const missing = isExhaustive ? statements.filter(({ text }) => unsent.has(text) && !done.has(text)) : [];
        for (const statement of missing)
            for (const where of ['before', 'after'] as const) await cutIn([{ ...statement, where }]);
        return {
            learned: statements.length,
            cut: done.size,
            unsent: [...unsent].filter(text => !done.has(text)),
            differences,
            runs: planned.length + 2 * missing.length,
        };
    } finally {
        await cuts.close();
    }
}

/** The number of statements by their first table: "product 12, flow_run 3". */
function byTable(statements: readonly LearnedStatement[]): string {
    const counts = new Map<string, number>();
    for (const { text } of statements) {
        const table = /(?:FROM|INTO|UPDATE|JOIN)\s+["`]?(\w+)/i.exec(text)?.[1] ?? text.split(' ')[0]!;
        counts.set(table, (counts.get(table) ?? 0) + 1);
    }
    return [...counts]
        .sort(([, a], [, b]) => b - a)
        .map(([table, count]) => `${table} ${count}`)
        .join(', ');
}
