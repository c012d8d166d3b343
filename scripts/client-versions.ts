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
        'Clients are optional: install those of the sinks that you use. Search engines are tested with their official clients and with servers that ' +
        'implement the public API descriptions, including mixed results, tasks, 413, 429 and cut connections. Brokers are tested as real servers.\n\n' +
        `| Sink | Client | Supported versions | Tested version | Tested with |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
    );
}
