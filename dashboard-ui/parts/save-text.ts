/** A text that is to become a file of the person who looks at the page. */
export interface TextFile {
    readonly filename: string;
    readonly mimeType: string;
    readonly content: string;
}

/** Hands it to the browser to be saved. */
export function saveText({ filename, mimeType, content }: TextFile): void {
    const url = URL.createObjectURL(new Blob([content], { type: mimeType }));
    const link = document.createElement('a');
    link.href = url;
    link.download = filename;
    link.click();
    URL.revokeObjectURL(url);
}
