import { SaxesParser } from 'saxes';
import { xmlReader } from '../src/io/formats/xml';
import type { Row } from './report';
import { type Contender, passesOf, race, textOf, withFile } from './text-files';

const USUAL_RECORDS = 350_000;

/** Compares both passes through a feed of products with the bare parser and handlers that build the same objects. */
export function benchXml(records = USUAL_RECORDS): Promise<readonly Row[]> {
    const contenders = [
        bareSaxes,
        ...passesOf('xmlReader', text => xmlReader(text, { recordPath: 'catalog.products.product' })),
    ];
    return withFile(products(records), file => race('xml', file, contenders));
}

type Fields = Record<string, unknown>;

/** No limits, path or lists: the minimal cost of a reader that uses this parser. */
const bareSaxes: Contender = {
    name: 'saxes, objects',
    async run(file) {
        const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
        const open: { fields?: Fields; text: string }[] = [];
        let seen = 0;
        parser.on('opentag', ({ attributes }) => {
            const names = Object.keys(attributes);
            open.push({
                text: '',
                ...(names.length > 0
                    ? { fields: Object.fromEntries(names.map(name => [`@${name}`, attributes[name]])) }
                    : {}),
            });
        });
        parser.on('text', text => {
            const element = open.at(-1);
            if (element) element.text += text;
        });
        parser.on('closetag', ({ name }) => {
            const { fields, text } = open.pop()!;
            if (fields && text.trim() !== '') fields['#text'] = text.trim();
            const parent = open.at(-1);
            if (name === 'product') seen++;
            else if (parent && open.length > 2) (parent.fields ??= {})[name] = fields ?? text;
        });
        for await (const piece of textOf(file)()) parser.write(piece);
        parser.close();
        return seen;
    },
};

/** A catalogue of products. */
export function* products(records: number): Generator<string> {
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<catalog>\n<products>\n';
    for (let i = 0; i < records; i++) {
        yield (
            `<product id="${i}" lang="de">\n  <sku>SKU-${i}</sku>\n  <name>Product number ${i} &amp; more</name>\n  <price currency="EUR">${(i % 10_000) / 100}</price>\n` +
            `  <stock>${i % 50}</stock>\n  <description><![CDATA[A <b>fine</b> thing with a longer text about it, number ${i}, and some more words.]]></description>\n` +
            `  <dimensions><width>${i % 90}</width><height>${i % 70}</height></dimensions>\n</product>\n`
        );
    }
    yield '</products>\n</catalog>\n';
}
