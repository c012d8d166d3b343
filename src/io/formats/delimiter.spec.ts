import { readCsv } from './csv';
import { sniffMarks } from './delimiter';
import { DELIMITER_RULE } from './delimiters';
import { SepLine } from './sep-line';

describe('the delimiter of a CSV', () => {
    it.each<[string, string, string, boolean?]>([
        ['a comma', 'a,b\n1,2\n', ','],
        ['a semicolon, where numbers have commas', 'name;price;stock\nx;1,5;2\ny;2,5;3\n', ';'],
        ['a semicolon, where the comma would make even rows as well', 'name;price;net\nx;1;2\n', ';'],
        ['a tab', 'a\tb, c\n1\t2\n', '\t'],
        ['a bar', 'a|b|c\n1|2|3\n', '|'],
        ['seen past quotes', '"a,x,y";"b"\n"1,2,3";"4\n,5"\n', ';'],
        ['seen where the text is cut within a quote', 'a;b\n1;2\n3;"4', ';'],
        ['seen in a header alone', 'a;b;c', ';'],
        ['a semicolon, with a title of one cell above the table', 'Prices\nname;price\nx;1,5\ny;2\n', ';'],
        ['a comma where there is one column', 'a\n1\n', ','],
        ['a comma where there is nothing', '', ','],
        ['a comma, with quotes after blanks', 'name , sku\n"a;b, c" , "x"\n"d;e" , "y"\n', ',', true],
        ['the one that the first line names', '\ufeffsep=;\r\na,b,c;d\r\n1,2,3;4\r\n', ';'],
        ['the one that the first line names, with quotes after blanks', 'sep=~\na~b\n1~ "2~3"\n', '~', true],
    ])('is %s', (_, sample, delimiter, trim = false) => {
        expect(sniffMarks(sample)).toEqual({ delimiter, trim });
    });
});

describe('a first line that names no delimiter that there can be', () => {
    it.each(['sep=😀\na,b\n', '\ufeffSEP=😀\r\na,b\n', 'sep=😀', 'sep=\ud83d\na\n'])(
        'such as %j is malformed',
        async text => {
            const pieces = (size: number): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
            for (const size of [1, 2, 5, 6, 100]) {
                const rows = async (): Promise<unknown> => {
                    for await (const _ of readCsv(pieces(size), { delimiter: ',', hasHeader: false })) continue;
                    return undefined;
                };
                await expect(rows()).rejects.toMatchObject({
                    code: 'SOURCE_MALFORMED',
                    message: expect.stringContaining(DELIMITER_RULE),
                });
            }
        },
    );

    it.each(['sep=😀x\na\n', 'sep=\n', 'sep=ab\n'])('is one like any other where it names none: %j', text => {
        const line = new SepLine();
        expect(line.take(text)).toBe(text);
        expect(line.delimiter).toBeUndefined();
    });
});
