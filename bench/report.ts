import { writeFileSync } from 'node:fs';

export interface Row {
    readonly bench: string;
    readonly database: string;
    readonly records: number;
    readonly recordsPerSecond: number;
    readonly statementsPerRecord: number | null;
    readonly peakRssMb: number;
    readonly ratioToRaw: number | null;
    readonly ratioToVendure: number | null;
    /** Records per second divided by those of the same import with one batch, or one connection, at a time. */
    readonly ratioToOne?: number | null;
}

const round = (value: number | null, digits: number): string => (value === null ? '–' : value.toFixed(digits));

/** Prints the rows as a table, and writes them as JSON if a file is given. */
export function report(rows: readonly Row[], jsonFile: string | undefined): void {
    const head = [
        'bench',
        'database',
        'records',
        'records/s',
        'statements/record',
        'peak RSS MB',
        'of raw',
        'times Vendure',
        'times one',
    ];
    const cells = rows.map(row => [
        row.bench,
        row.database,
        String(row.records),
        round(row.recordsPerSecond, row.recordsPerSecond < 100 ? 1 : 0),
        round(row.statementsPerRecord, 4),
        round(row.peakRssMb, 0),
        round(row.ratioToRaw, 2),
        round(row.ratioToVendure, 1),
        round(row.ratioToOne ?? null, 2),
    ]);
    const widths = head.map((title, i) => Math.max(title.length, ...cells.map(line => line[i]!.length)));
    const line = (texts: readonly string[]): string =>
        texts.map((text, i) => (i < 2 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  ');
    console.log([line(head), line(widths.map(width => '-'.repeat(width))), ...cells.map(line)].join('\n'));
    if (jsonFile !== undefined) writeFileSync(jsonFile, `${JSON.stringify(rows, null, 2)}\n`);
}
