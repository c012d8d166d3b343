import { Trans, useLingui } from '@lingui/react/macro';
import { Button, cn, FieldError } from '@vendure/dashboard';
import { FileTextIcon } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { readTextFile, type TextFileProblem } from './text-file';

/** Of the text of a document; the server takes half of it as a definition, without the spaces. */
const MAX_MIB = 2;

interface DocumentFileProps {
    readonly onText: (text: string) => void;
    /** Where the text is seen; a file may be dropped on it as well. */
    readonly children: ReactNode;
}

/** Reads the text of a document from a chosen or dropped file. A file that is not text, or too large, changes nothing. */
export function DocumentFile({ onText, children }: DocumentFileProps): ReactNode {
    const { t } = useLingui();
    const input = useRef<HTMLInputElement>(null);
    const [isOver, setOver] = useState(false);
    const [refused, setRefused] = useState<{ readonly name: string; readonly problem: TextFileProblem }>();
    const take = async (file: File | undefined): Promise<void> => {
        if (!file) return;
        const read = await readTextFile(file, MAX_MIB * 1024 * 1024);
        setRefused('problem' in read ? { name: file.name, problem: read.problem } : undefined);
        if ('text' in read) onText(read.text);
    };
    const onDrop = (event: DragEvent): void => {
        // A text that is dragged into the field is the browser's own business.
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(false);
        void take(event.dataTransfer.files[0]);
    };
    return (
        <div
            className={cn('space-y-2 rounded-md border border-dashed p-3', isOver && 'border-primary bg-accent')}
            onDragOver={event => {
                if (!event.dataTransfer.types.includes('Files')) return;
                event.preventDefault();
                setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={onDrop}
        >
            <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
                <FileTextIcon aria-hidden className="size-4 text-muted-foreground" />
                <span>
                    <Trans>Drop a JSON or YAML file here,</Trans>
                </span>
                <Button type="button" size="sm" variant="outline" onClick={() => input.current?.click()}>
                    <Trans>choose a file</Trans>
                </Button>
                <span>
                    <Trans>or enter it:</Trans>
                </span>
                <input
                    ref={input}
                    type="file"
                    hidden
                    aria-label={t`Source file`}
                    accept=".json,.yaml,.yml"
                    onChange={({ target }) => {
                        void take(target.files?.[0]);
                        target.value = '';
                    }}
                />
            </div>
            <div aria-live="polite">{refused && <FieldError>{<Refusal {...refused} />}</FieldError>}</div>
            {children}
        </div>
    );
}

function Refusal({ name, problem }: { readonly name: string; readonly problem: TextFileProblem }): ReactNode {
    switch (problem) {
        case 'large':
            return (
                <Trans>
                    “{name}” is too large. A document may have at most {MAX_MIB} MiB.
                </Trans>
            );
        case 'binary':
            return <Trans>“{name}” is not a text file. Choose JSON or YAML written by “Export”.</Trans>;
        case 'unreadable':
            return <Trans>“{name}” cannot be read. It may be a folder, or it was moved.</Trans>;
    }
}
