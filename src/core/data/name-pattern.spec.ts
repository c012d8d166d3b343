import { compileNamePattern, namePatternProblem } from './name-pattern';

describe('a pattern of file names', () => {
    it.each<[pattern: string, matching: readonly string[], others: readonly string[]]>([
        ['*.csv', ['a.csv', '.csv', 'a.b.csv'], ['a.CSV', 'a.csv.gz', 'acsv']],
        ['a?c', ['abc', 'a😀c'], ['ac', 'abbc']],
        ['*.{csv,txt}', ['a.csv', 'a.txt'], ['a.xml', 'a.{csv,txt}']],
        ['{stock,price{s,-list}}-*.csv', ['stock-1.csv', 'prices-1.csv', 'price-list-1.csv'], ['price-1.csv']],
        ['{,old-}stock.csv', ['stock.csv', 'old-stock.csv'], ['new-stock.csv']],
        ['stock-[0-9][0-9].csv', ['stock-07.csv'], ['stock-7.csv', 'stock-ab.csv', 'stock-[0-9][0-9].csv']],
        ['[!0-9]*', ['a1'], ['1a']],
        ['[^0-9]*', ['a1'], ['1a']],
        ['[]a-].csv', ['].csv', 'a.csv', '-.csv'], ['b.csv']],
        ['!*.csv', ['a.txt'], ['a.csv']],
        ['!{a,b}.csv', ['c.csv'], ['a.csv', 'b.csv']],
        ['a!b.csv', ['a!b.csv'], ['ab.csv']],
        ['\\!a\\*\\[1\\].csv', ['!a*[1].csv'], ['!ab[1].csv']],
        ['a.b+(c)|d^$', [], []],
        ['stock (1).csv', ['stock (1).csv'], ['stock 1.csv']],
        ['a,b}.csv', ['a,b}.csv'], ['a.csv']],
    ])('%s', (pattern, matching, others) => {
        if (matching.length === 0) return expect(namePatternProblem(pattern)).toBeDefined();
        expect(namePatternProblem(pattern)).toBeUndefined();
        const isNamed = compileNamePattern(pattern);
        expect([matching, others].map(names => names.map(isNamed))).toEqual([
            matching.map(() => true),
            others.map(() => false),
        ]);
    });

    it('is case-sensitive, unless configured otherwise', () => {
        expect(['A.CSV', 'a.csv'].map(compileNamePattern('*.csv'))).toEqual([false, true]);
        expect(['A.CSV', 'ä1.Csv'].map(compileNamePattern('[aÄ]*.csv', { ignoreCase: true }))).toEqual([true, true]);
    });

    it.each(['[a', '{a,b', '{a}', '{1..3}', 'a\\', '+(a|b)', '!(a)', '[z-a]'])(
        '%s is rejected with a reason',
        pattern => expect(namePatternProblem(pattern)?.message).toEqual(expect.any(String)),
    );

    it('takes at most its length times that of the name', () => {
        const isNamed = compileNamePattern('*-*-*-*-*-*-*-*.csv');
        expect(isNamed('-'.repeat(1_000))).toBe(false);
        expect(isNamed(`${'-'.repeat(1_000)}.csv`)).toBe(true);
    });
});
