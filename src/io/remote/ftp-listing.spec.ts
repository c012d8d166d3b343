import { FtpListing } from './ftp-listing';
import type { ListedEntry } from './ftp-line';
import { isSame } from './verified-bytes';

const read = (isForMachines: boolean, ...lines: readonly string[]) => {
    const listing = new FtpListing(isForMachines);
    return { listing, entries: listing.entries(lines) };
};
const file = (name: string, size: number | undefined): Partial<ListedEntry> => ({ name, size, kind: 'file' });

describe('a line of LIST', () => {
    it.each<[line: string, entry: Partial<ListedEntry>]>([
        ['-rw-r--r--   1 shop  shop  12 Jan 01 00:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 Jan  1  2026 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--.  1 shop  shop  12 Jan 01 00:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--+  1 shop  shop  12 Jan 01 00:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--@  1 shop  shop  12 Jan 01 00:00 stock.csv', file('stock.csv', 12)],
        ['-rwsr-xr-t   1 1000  1000  12 20 Nov 08:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 20. Nov 08:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 20. Nov. 2025 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 20 févr. 08:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 März 20 08:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 11月 20 08:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 11月 20日 2026年 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r-- 1 shop shop 12 2026-11-20 08:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r-- 1 shop shop 12 2026-11-20 08:00:00.123456789 +0100 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  1,234,567 Jan 01 00:00 stock.csv', file('stock.csv', 1_234_567)],
        ['-rw-r--r--   1 shop  shop  1.234.567 Jan 01 00:00 stock.csv', file('stock.csv', 1_234_567)],
        ["-rw-r--r--   1 shop  shop  1'234'567 Jan 01 00:00 stock.csv", file('stock.csv', 1_234_567)],
        ['-rw-r--r--   1 shop  shop  1.2K Jan 01 00:00 stock.csv', file('stock.csv', undefined)],
        ['-rw-r--r--   1 domain users  staff  12 Jan 01 00:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  12 Jan 01 00:00 stock.csv', file('stock.csv', 12)],
        ['  131 -rw-r--r--   1 shop  shop  12 Jan 01 00:00 stock.csv', file('stock.csv', 12)],
        ['-rw-r--r--   1 shop  shop  12 Jan 01 00:00   a b  c.csv ', file('  a b  c.csv ', 12)],
        ['-rw-r--r--   1 shop  shop  12 Jan 01 00:00 3 Nov 20 08:00 x.csv', file('3 Nov 20 08:00 x.csv', 12)],
        ['drwxr-xr-x.  2 shop  shop  4096 Jan 01 00:00 done', { name: 'done', kind: 'folder' }],
        ['lrwxrwxrwx   1 shop  shop  11 Jan 01 00:00 link -> /etc/passwd', { name: 'link', kind: 'other' }],
        ['crw-rw-rw-   1 root  root  1, 3 Jan 01 00:00 null', { name: 'null', kind: 'other' }],
        ['11-20-26  08:00AM       1234 stock.csv', file('stock.csv', 1234)],
        ['11/20/2026  08:00 AM       1,234 stock.csv', file('stock.csv', 1234)],
        ['2026-11-20  08:00          1234 stock.csv', file('stock.csv', 1234)],
        ['20.11.2026  18:00         1.234 stock list.csv', file('stock list.csv', 1234)],
        ['11/20/2026  08:00 AM    <DIR>          done', { name: 'done', kind: 'folder' }],
        ['11/20/2026  08:00 AM    <JUNCTION>     done', { name: 'done', kind: 'other' }],
        ['SHOP             36864 11/20/26 08:00:00 *STMF      stock.csv', file('stock.csv', 36_864)],
        ['QSYS             77824 02/23/26 15:09:55 *DIR       done/', { name: 'done', kind: 'folder' }],
        ['STOCK.CSV;3   12/15  20-NOV-2026 08:00:00.00  [SHOP]  (RWED,RWED,RE,)', file('STOCK.CSV', undefined)],
        ['DONE.DIR;1   1/3  20-NOV-2026 08:00:00  [SHOP,OWNER]  (RWE,RWE,RE,)', { name: 'DONE', kind: 'folder' }],
        ['- [R----F--] supervisor            214059       Oct 20 15:27    stock.csv', file('stock.csv', 214_059)],
        ['d [R----F--] supervisor            512       Jan 16 18:53    done', { name: 'done', kind: 'folder' }],
        ['+i8388621.48594,m825718503,r,s280,\tstock.csv', { ...file('stock.csv', 280), modifiedAt: 825_718_503_000 }],
        ['+i8388621.50690,m824255907,/,\tdone', { name: 'done', kind: 'folder' }],
    ])('%s', (line, expected) => {
        const { entries, listing } = read(false, line);
        expect(entries).toEqual([expect.objectContaining(expected)]);
        expect(listing.unknown).toBe(0);
    });

    it.each([
        'total 12',
        'insgesamt 12',
        'total 4,0K',
        '合計 12',
        '',
        'Directory DISK:[SHOP]',
        'Total of 3 files, 12/15 blocks.',
    ])('without an entry is skipped, and no reason for a warning: %p', line => {
        const { entries, listing } = read(false, line);
        expect([entries, listing.unknown, listing.isForeign]).toEqual([[], 0, false]);
    });

    it.each(['-rw-r--r-- 1 shop shop 12 Jan 01 00:00 .', 'drwxr-xr-x 1 shop shop 12 Jan 01 00:00 ..'])(
        'of the folder itself is not an entry: %s',
        line => expect(read(false, line).entries).toEqual([]),
    );

    it('of VMS may follow its name on a separate line, and older versions of a file are not files', () => {
        const details = '  12/15  20-NOV-2026 08:00:00  [SHOP]  (RWED,RWED,RE,)';
        const { entries, listing } = read(
            false,
            'A_NAME_THAT_TAKES_A_LINE_OF_ITS_OWN.CSV;7',
            details,
            `STOCK.CSV;3 ${details}`,
            `STOCK.CSV;2 ${details}`,
        );
        expect(entries.map(({ name, kind }) => [name, kind])).toEqual([
            ['A_NAME_THAT_TAKES_A_LINE_OF_ITS_OWN.CSV', 'file'],
            ['STOCK.CSV', 'file'],
            ['STOCK.CSV', 'other'],
        ]);
        expect(listing.unknown).toBe(0);
    });

    it('that is not understood is counted, with the first as an example', () => {
        const { entries, listing } = read(false, '-rw-r--r-- 1 a a 12 Jan 01 00:00 a.csv', 'b.csv', '???');
        expect(entries).toHaveLength(1);
        expect([listing.unknown, listing.example, listing.isForeign]).toEqual([2, 'b.csv', false]);
        expect(read(false, 'a.csv', 'b.csv').listing.isForeign).toBe(true);
    });

    it.each([
        `-rw-r--r-- ${'1 '.repeat(4_000)}`,
        `-rw-r--r-- ${'a '.repeat(4_000)}`,
        `-rw-r--r-- 1${' '.repeat(8_000)}x`,
        `-rw-r--r-- ${'1,234'.repeat(1_600)}`,
        `-rw-r--r-- ${'12 Nov '.repeat(1_100)}`,
        `11/20/2026 08:00 ${'1,234'.repeat(1_600)}`,
        `${'x'.repeat(8_000)};`,
        `SHOP 1 11/20/26 08:00:00 *STMF ${'/ '.repeat(4_000)}`,
        `${'a '.repeat(4_000)}1`,
        `+${','.repeat(8_000)}`,
    ])('of any shape takes no more steps than its length allows', line => {
        const listing = new FtpListing(false);
        for (let i = 0; i < 50; i++) listing.entries([line]);
        expect(listing.entries([line]).length).toBeLessThanOrEqual(1);
    });
});

describe('a line of MLSD', () => {
    const modifiedAt = Date.UTC(2026, 0, 31, 23, 59, 59);

    it.each<[line: string, entry: Partial<ListedEntry>]>([
        ['type=file;size=12;modify=20260131235959; stock.csv', { ...file('stock.csv', 12), modifiedAt }],
        ['Type=File;Size=12;Modify=20260131235959.123; stock.csv', { ...file('stock.csv', 12), modifiedAt }],
        ['TYPE=FILE;SIZE=12; stock.csv', { ...file('stock.csv', 12), modifiedAt: undefined }],
        ['size=12; stock.csv', file('stock.csv', 12)],
        ['type=file;  stock list.csv', file(' stock list.csv', undefined)],
        ['type=file;modify=soon;size=many; stock.csv', { ...file('stock.csv', undefined), modifiedAt: undefined }],
        ['Type=Dir;modify=20260131235959; done', { name: 'done', kind: 'folder' }],
        ['type=OS.unix=symlink; link', { name: 'link', kind: 'other' }],
        ['type=OS.unix=slink:/etc/passwd; link', { name: 'link', kind: 'other' }],
    ])('%s', (line, expected) => expect(read(true, line).entries).toEqual([expect.objectContaining(expected)]));

    it.each(['Type=cdir; .', 'type=PDIR; ..', 'type=cdir;modify=20260131235959; /in'])(
        'of the folder itself is not an entry: %s',
        line => {
            const { entries, listing } = read(true, line);
            expect([entries, listing.unknown, listing.isForeign]).toEqual([[], 0, false]);
        },
    );

    it.each(['b.csv', 'second half.csv', '-rw-r--r-- 1 a a 12 Jan 01 00:00 a.csv'])('is not understood: %s', line =>
        expect(read(true, line).listing).toMatchObject({ unknown: 1, example: line, isForeign: true }),
    );
});

describe('a file', () => {
    const listed = { path: '/in/a.csv', size: 12, modifiedAt: 1_000 };

    it('is the same if only one side has a time', () => {
        const unpublished = { ...listed, modifiedAt: undefined };
        expect([isSame(listed, unpublished), isSame(unpublished, listed), isSame(unpublished, unpublished)]).toEqual([
            true,
            true,
            true,
        ]);
        expect(isSame(listed, { ...listed, modifiedAt: 2_000 })).toBe(false);
        expect(isSame(unpublished, { ...listed, size: 13 })).toBe(false);
    });
});
