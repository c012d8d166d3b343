import type { JsonObject } from '../../../core/value/json';
import { type PreviewedFile, type PreviewRequest, readPreview } from '../../files/preview-reading';
import type { JobWork } from './messages';
import { localSource } from './local-source';

/** What comes with a file. */
export interface PreviewSettings {
    readonly path: string;
    readonly file: PreviewedFile;
    readonly asked: PreviewRequest;
}

/** The beginning of a file: its records one by one, then what there is to say of it. */
export async function previewJob({ settings, send }: JobWork): Promise<JsonObject> {
    const { path, file, asked } = settings as unknown as PreviewSettings;
    const { signal } = new AbortController();
    const { records, ...rest } = await readPreview(file, { source: localSource(path), signal }, asked);
    for (const record of records) await send(record);
    return rest as unknown as JsonObject;
}
