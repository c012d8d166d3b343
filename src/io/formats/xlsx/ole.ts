import type { FileHandle } from 'node:fs/promises';
import { flowError } from '../../../core/errors/flow-error';

/** Where Office keeps what is no ZIP: the workbooks of before 2007, and every encrypted one. */
const MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER = 512;
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Refuses an OLE file with a hint at what to do about it. */
export async function refuseOle(handle: FileHandle): Promise<void> {
    const header = Buffer.alloc(HEADER);
    const { bytesRead } = await handle.read(header, 0, HEADER, 0);
    if (bytesRead < MAGIC.length || !header.subarray(0, MAGIC.length).equals(MAGIC)) return;
    const problem = (await isEncrypted(handle, header))
        ? 'the workbook is encrypted; save it without a password'
        : 'this is a file of the old format .xls; save it as .xlsx';
    throw flowError('SOURCE_MALFORMED', { where: 'the beginning', problem });
}

/** Looks at the first sector of the directory, in which the streams are named. */
async function isEncrypted(handle: FileHandle, header: Buffer): Promise<boolean> {
    const sectorSize = header.readUInt16LE(30) === 12 ? 4096 : 512;
    const directory = Buffer.alloc(4096);
    const { bytesRead } = await handle.read(directory, 0, directory.length, (header.readUInt32LE(48) + 1) * sectorSize);
    return directory.subarray(0, bytesRead).includes(ENCRYPTED);
}
