import type { ID } from '@vendure/core';
import type { FlowManagedFile } from '../entities/managed-file';

/** A file as the REST API shows it. */
export interface FileResponse {
    readonly id: string;
    readonly filename: string;
    readonly mimeType: string;
    readonly format: string;
    readonly encoding: string | null;
    readonly size: number;
    readonly sha256: string;
    readonly rows: number | null;
    readonly uploadedAt: string;
    readonly uploadedBy: string | null;
    /** Null if it is kept until it is deleted. */
    readonly expiresAt: string | null;
}

/** `publicId` converts an id to its public form. */
export function fileResponse(file: FlowManagedFile, publicId: (id: ID) => string): FileResponse {
    const { filename, mimeType, format, encoding, size, sha256, rows, createdAt, uploadedBy, expiresAt } = file;
    return {
        id: publicId(file.id),
        filename,
        mimeType,
        format,
        encoding,
        size,
        sha256,
        rows,
        uploadedAt: createdAt.toISOString(),
        uploadedBy: uploadedBy === null ? null : publicId(uploadedBy),
        expiresAt: expiresAt?.toISOString() ?? null,
    };
}

/** The headers for downloads. Browsers save the content and never display it. */
export function downloadHeaders({
    filename,
    mimeType,
    size,
    sha256,
}: FlowManagedFile): Readonly<Record<string, string>> {
    return {
        'Content-Type': mimeType,
        'Content-Length': String(size),
        'Content-Disposition': `attachment; filename="${plainName(filename)}"; filename*=UTF-8''${extendedName(filename)}`,
        'Content-Security-Policy': "sandbox; default-src 'none'",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'private, no-cache',
        ETag: `"${sha256}"`,
    };
}

/** The name for clients that do not support RFC 5987. */
function plainName(filename: string): string {
    return filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
}

/** The name as in RFC 5987, which allows fewer characters than `encodeURIComponent` leaves unescaped. */
function extendedName(filename: string): string {
    return encodeURIComponent(filename).replace(/['()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
