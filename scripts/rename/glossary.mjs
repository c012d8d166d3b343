// Writes docs/glossary.md and test/glossary.spec.ts of a renamed tree: the lists of ordinary words and of exceptions fit the tree.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(process.argv[2]);
let head = readFileSync(join(HERE, 'glossary-head.md'), 'utf8');
const spec = readFileSync(join(HERE, 'glossary-spec.txt'), 'utf8');
const REPLACED = new Set([...(/const REPLACED[^{]*\{([\s\S]*?)\n\};/.exec(spec)[1]).matchAll(/^ {4}(\w+):/gm)].map(m => m[1]));
const PRODUCTS = new Set('algolia amqp amqplib cdc csv curl elasticsearch ftp google gtin html http ioredis ip ipv4 ipv6 javascript json jwt meilisearch merchant meta mysql ole opensearch pdf pim postgres rabbit rabbitmq redis regex rest s3 sdk sftp sql sqlite sqs ssl tls typesense utf8 uuid vendure xlsx xml yaml zip graphql api base64 iso mime url nest'.split(' '));
// One line for each word, in order.
head = head.split(/^(?=## )/m).map(part => {
    if (!/^## (Nouns|Verbs)/.test(part)) return part;
    const rows = new Map([...part.matchAll(/^- \*\*(\w+)\*\*: .*$/gm)].filter(m => !REPLACED.has(m[1])).map(m => [m[1], m[0]]));
    return `${/^## .*$/m.exec(part)[0]}\n\n${[...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, l]) => l).join('\n')}\n\n`;
}).join('');
const known = new Set([...head.matchAll(/^- \*\*(\w+)\*\*: /gm)].map(m => m[1]));
const parts = name => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2').toLowerCase().split(/[^a-z0-9]+/).filter(p => /[a-z]/.test(p));
const bases = word => { const cut = (e, ...a) => (e.test(word) ? a.map(x => word.replace(e, x)) : []);
    return [word, ...cut(/ies$/, 'y'), ...cut(/ied$/, 'y'), ...cut(/es$/, '', 'e', 'is'), ...cut(/s$/, ''), ...cut(/ed$/, '', 'e'), ...cut(/ing$/, '', 'e'), ...cut(/([bdglmnprt])\1(?:ed|ing)$/, '$1')]; };
const names = new Set();
for (const n of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(f => f.endsWith('.ts')).map(f => `src/${f.replaceAll('\\', '/')}`)) {
    for (const p of n.slice(0, -3).split('/')) names.add(p);
    if (n.endsWith('.spec.ts')) continue;
    for (const m of readFileSync(join(ROOT, n), 'utf8').matchAll(/^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) +(\w+)/gm)) names.add(m[1]);
}
const allowed = [], products = new Set(), ordinary = new Set();
for (const name of names) for (const part of parts(name)) {
    const bs = bases(part);
    if (bs.some(b => REPLACED.has(b))) { if (!allowed.includes(name)) allowed.push(name); continue; }
    if (bs.some(b => known.has(b))) continue;
    const product = bs.find(b => PRODUCTS.has(b));
    if (product) products.add(product); else ordinary.add(part);
}
// A form is not listed next to its base.
for (const w of [...ordinary]) if (bases(w).slice(1).some(b => ordinary.has(b))) ordinary.delete(w);
for (const w of ['run', 'stop', 'batch', 'entry', 'publish']) if (!known.has(w)) throw new Error(w);
const wrapped = words => { const lines = []; let line = ''; for (const w of [...words].sort()) { if (line.length + w.length > 150) { lines.push(line.trim()); line = ''; } line += `${w} `; } lines.push(line.trim()); return lines.join('\n'); };
writeFileSync(join(ROOT, 'docs/glossary.md'), `${head.trimEnd()}\n\n${wrapped(products)}\n\n## Ordinary words\n\nThese have their usual meaning.\n\n${wrapped(ordinary)}\n`);
writeFileSync(join(ROOT, 'test/glossary.spec.ts'), spec.replace('ALLOWED_LIST\n', allowed.sort().map(n => `    '${n}',\n`).join('')));
writeFileSync(join(HERE, 'ordinary.txt'), [...ordinary].sort().join(' '));
writeFileSync(join(HERE, 'allowed.txt'), allowed.join('\n'));
console.log(`glossary: ${known.size} words with a line, ${products.size} names, ${ordinary.size} ordinary words, ${allowed.length} exceptions`);
