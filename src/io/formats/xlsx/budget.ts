import { flowError, type FlowError } from '../../../core/errors/flow-error';

const MIB = 1024 * 1024;

/**
 * The limits for reading a workbook: the least amount that any file may have, the amount for each of its bytes, and
 * the name in messages. `work` is the time for each unit, in about a millionth of a second.
 */
const COUNTED = {
    /** Real sheets are compressed to a tenth to a thirtieth, including those with only blank rows. */
    inflated: { least: 32 * MIB, eachByte: 40, work: 0.006, what: 'bytes when it is inflated' },
    /**
     * The parser takes five to ten times as long as `SheetFastPath` for the same text; so small files may have less
     * of it.
     */
    markup: {
        least: 16 * MIB,
        eachByte: 40,
        free: 64 * MIB,
        work: 0.09,
        what: 'characters of markup in addition to plain cells and texts',
    },
    strings: { least: 1_000_000, eachByte: 1, work: 0.5, what: 'shared strings' },
    /** A packed cell takes two bytes and more. */
    cells: { least: 1_000_000, eachByte: 1, work: 0.8, what: 'cells' },
    /** A row of one cell is a record of as many fields as the header has. */
    fields: { least: 4_000_000, eachByte: 2, work: 0.15, what: 'fields of its records, the empty ones included' },
    /** Few bytes of a sheet can name a long string many times over. */
    characters: { least: 128 * MIB, eachByte: 64, work: 0.003, what: 'characters in its cells' },
} as const satisfies Record<string, Counted>;
/** So much work any file may be. */
const LEAST_WORK = 1_700_000;
/** Each byte beyond this size may be so much more. */
const SMALL = 2 * MIB;
const WORK_EACH_BYTE = 8;
const TOGETHER = 'units of markup, strings, cells and fields together';

interface Counted {
    readonly least: number;
    readonly eachByte: number;
    /** Is subtracted from what the bytes allow. */
    readonly free?: number;
    readonly work: number;
    readonly what: string;
}

interface Allowed {
    readonly what: string;
    readonly allowed: number;
}

/** What is counted while a workbook is read. */
type WorkbookCount = keyof typeof COUNTED;

/**
 * The limits of a workbook, which depend on the size of its file: a small file is read or rejected within a short
 * time and little memory, whatever is packed into it. Each pass over the file has a separate budget.
 */
export class WorkbookBudget {
    private readonly used: Record<WorkbookCount, number> = {
        inflated: 0,
        markup: 0,
        strings: 0,
        cells: 0,
        fields: 0,
        characters: 0,
    };
    private readonly allowed: Readonly<Record<WorkbookCount, number>>;
    private work = 0;
    private readonly allowedWork: number;

    /** `size` is that of the file, in bytes. */
    constructor(private readonly size: number) {
        const counts = Object.entries(COUNTED) as [WorkbookCount, Counted][];
        this.allowed = Object.fromEntries(
            counts.map(([count, { least, eachByte, free = 0 }]) => [count, Math.max(least, eachByte * size - free)]),
        ) as Record<WorkbookCount, number>;
        this.allowedWork = LEAST_WORK + WORK_EACH_BYTE * Math.max(0, size - SMALL);
    }

    /**
     * Counts an amount; throws SOURCE_MALFORMED with the amount, the limit and the place (`where`) if it is too much.
     */
    take(count: WorkbookCount, amount: number, where: () => string): void {
        const used = (this.used[count] += amount);
        const { work, what } = COUNTED[count];
        this.work += work * amount;
        const allowed = this.allowed[count];
        if (used > allowed) throw this.rejected(where(), used, { what, allowed });
        if (this.work <= this.allowedWork) return;
        throw this.rejected(where(), Math.ceil(this.work), { what: TOGETHER, allowed: this.allowedWork });
    }

    private rejected(where: string, found: number, { what, allowed }: Allowed): FlowError {
        const problem = `the workbook comes to ${found} ${what}, or more; allowed for a file of ${this.size} bytes: ${allowed}`;
        return flowError('SOURCE_MALFORMED', { where, problem });
    }
}
