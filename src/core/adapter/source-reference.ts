import type { Problem } from '../errors/rendered';
/** The folder of a FILE trigger, as far as its steps must match it. */
export interface FileWatch {
    readonly connectionCode: string;
    /** A folder; of object storage what keys begin with. */
    readonly path: string;
    readonly recursive: boolean;
}

/** A file elsewhere, as a listing has described it. As JSON. */
export interface FoundFile {
    readonly path: string;
    /** In bytes. */
    readonly size: number;
    /** In ms; absent if the server does not report it. */
    readonly modifiedAt?: number | undefined;
    readonly etag?: string;
}

/** The file that a run of a FILE trigger is about: its sources read that one and no other. As JSON. */
export interface SourceReference {
    readonly connectionCode: string;
    /** What it was found under. */
    readonly under: string;
    readonly file: FoundFile;
}

/** Why a step cannot read the files of a FILE trigger: the field, and the end of a sentence about it. */
export interface WatchProblem {
    readonly path: string;
    readonly problem: Problem;
}

/** True for a stored reference of a run that is about a file elsewhere. */
export function isSourceReference(value: object): value is SourceReference {
    return 'connectionCode' in value && 'under' in value && 'file' in value;
}
