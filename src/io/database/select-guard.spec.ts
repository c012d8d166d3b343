import { HARMLESS, REFUSED, REFUSED_EVERYWHERE } from '../../../test/fixtures/hostile-selects';
import { parsedProblem } from './parsed-select';
import { checkSelect } from './select-guard';
import type { SqlDialect } from './sql-tokens';

const DIALECTS = ['postgres', 'mysql', 'sqlite'] as const;

/** Why a query is not run, be it by its text or by its syntax. */
async function problemOf(sql: string, dialect: SqlDialect): Promise<string | undefined> {
    const judged = checkSelect(sql, dialect);
    return ('problem' in judged ? judged.problem : await parsedProblem(judged.sql, dialect))?.message;
}

describe.each(DIALECTS)('a query of %s', dialect => {
    const rejected = [...REFUSED_EVERYWHERE, ...REFUSED[dialect]];

    it.each(rejected)('is not run: %j', async sql => {
        expect(await problemOf(sql, dialect)).toMatch(/\S/);
    });

    it.each(HARMLESS[dialect])('is run: %j', async sql => {
        expect(await problemOf(sql, dialect)).toBeUndefined();
    });
});

it('has been tried with more than 150 hostile texts', () => {
    expect(new Set([...REFUSED_EVERYWHERE, ...DIALECTS.flatMap(one => REFUSED[one])]).size).toBeGreaterThan(150);
});

describe('what is known of a query', () => {
    it.each([
        ['postgres', 'SELECT $1, $2, $1', 2],
        ['postgres', 'SELECT \'$1\', $$ $2 $$, "$3", a$4 FROM t', 0],
        ['mysql', 'SELECT ?, \'?\', `?`, "?" FROM t WHERE a = ?', 2],
        ['sqlite', 'SELECT ?, \'?\', [?], "?" FROM t', 1],
    ] as const)('%s takes values for the parameters of %j', (dialect, sql, parameters) => {
        expect(checkSelect(sql, dialect)).toMatchObject({ parameters });
    });

    it.each([
        ['SELECT 1', false, false],
        ['SELECT 1 ORDER BY 1', true, false],
        ['SELECT * FROM (SELECT 1 ORDER BY 1 LIMIT 1) AS t', false, false],
        ['SELECT 1 ORDER BY 1 LIMIT 1', true, true],
        ["SELECT 'ORDER BY' AS `limit` ", false, false],
    ])('%j is sorted (%s) and limited (%s) by itself', (sql, isSorted, isLimited) => {
        expect(checkSelect(sql, 'mysql')).toMatchObject({ isSorted, isLimited });
    });
});
