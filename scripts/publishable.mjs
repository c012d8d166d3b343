// Before the package is published: what its users look for in its manifest must be there. Only who publishes it knows the address.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = join(process.argv[2] ?? '.', 'package.json');
const { repository } = JSON.parse(readFileSync(manifest, 'utf8'));
const url = typeof repository === 'string' ? repository : repository?.url;
if (typeof url !== 'string' || !/^(git\+)?(https|ssh):\/\/\S+$/.test(url)) {
    console.error(
        `package.json: "repository" is ${JSON.stringify(repository) ?? 'missing'}; allowed: the address that users find the sources at, ` +
            'as in { "type": "git", "url": "git+https://host/owner/name.git" }',
    );
    process.exit(1);
}
