/** Why a file is not uploaded. */
export type FileProblem = 'EMPTY' | 'TOO_LARGE' | 'OLD_EXCEL' | 'PICTURE' | 'DOCUMENT';

const ENDINGS: ReadonlyArray<readonly [RegExp, FileProblem]> = [
    [/\.xls$/i, 'OLD_EXCEL'],
    [/\.(png|jpe?g|gif|webp|avif|svg|bmp|tiff?|heic)$/i, 'PICTURE'],
    [/\.(pdf|docx?|odt|ods|numbers|zip|rar|7z|gz)$/i, 'DOCUMENT'],
];

/** What is wrong with a file by its name and size, before anything is sent. The server looks at its content. */
export function problemOfFile(
    file: { readonly name: string; readonly size: number },
    maxBytes?: number,
): FileProblem | undefined {
    const byName = ENDINGS.find(([ending]) => ending.test(file.name))?.[1];
    if (byName) return byName;
    if (file.size === 0) return 'EMPTY';
    return maxBytes !== undefined && file.size > maxBytes ? 'TOO_LARGE' : undefined;
}
