import { askRest } from '../../../parts/rest';
import { upload } from '../../../parts/upload';

const ROWS = 50;

/** The first records of a file as JSON. Of CSV, XML and workbooks the server reads them as pipelines would; it does not keep the file. */
export async function recordsOfFile(file: File): Promise<string> {
    if (/\.(json|ndjson|jsonl)$/i.test(file.name)) return file.text();
    const path = `/flow/files/${await upload({ file })}`;
    try {
        const preview = await askRest(`${path}/preview?rows=${ROWS}`);
        const { records } = (await preview.json()) as { readonly records: readonly unknown[] };
        return JSON.stringify(records, null, 2);
    } finally {
        // What cannot be deleted now stays among the files, where it can be later.
        await askRest(path, { method: 'DELETE' }).catch(() => undefined);
    }
}
