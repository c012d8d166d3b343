import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLLOWED } from '../test/kit/engines/followed';
import { GENERATED } from './reference-pages';

interface Manifest {
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
}

/** Which versions of clients the sinks take, and what they are tried against. Throws where a client is in no list of package.json. */
export function clientsPage(
    manifest = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as Manifest,
): string {
    const versionOf = (list: keyof Manifest, client: string): string => {
        const version = manifest[list][client];
        if (version === undefined) throw new Error(`package.json has no ${client} among its ${list}`);
        return `\`${version}\``;
    };
    const rows = FOLLOWED.map(({ sink, client, against }) => {
        const versions = [versionOf('peerDependencies', client), versionOf('devDependencies', client)].join(' | ');
        return `| [${sink}](sinks/${sink}.md) | \`${client}\` | ${versions} | ${against} |`;
    });
    return (
        `${GENERATED}\n# Clients of sinks\n\n` +
        'The clients are optional: a shop installs those of the sinks that it has. Vendors run no test servers, so search engines are tried by their own ' +
        'clients against servers of the tests that answer as the public API descriptions say: mixed results, tasks, 413, 429 and cut connections ' +
        'included. Brokers are the real ones.\n\n' +
        `| Sink | Client | Versions that are taken | Version of the tests | Tried against |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
    );
}
