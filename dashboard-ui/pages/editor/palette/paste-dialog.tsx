import { Trans, useLingui } from '@lingui/react/macro';
import {
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    FieldError,
    Textarea,
} from '@vendure/dashboard';
import { type ReactNode, useState } from 'react';
import { isRefused, pasted, readPart } from '../model/clipboard';
import { useEditor } from '../state/editor-context';
import { useRefusalText } from './refusal-text';

interface PasteDialogProps {
    readonly isOpen: boolean;
    readonly onClose: () => void;
}

/** Takes steps from a text, of this shop or another one. */
export function PasteDialog({ isOpen, onClose }: PasteDialogProps): ReactNode {
    const { t } = useLingui();
    const { drawing } = useEditor();
    const textOf = useRefusalText();
    const [text, setText] = useState('');
    const [problem, setProblem] = useState<string>();
    const take = (): void => {
        const part = readPart(text);
        if (isRefused(part)) return setProblem(textOf(part));
        const { definition, keys } = pasted(drawing.definition, part);
        drawing.edit(() => definition, { select: keys });
        setText('');
        setProblem(undefined);
        onClose();
    };
    return (
        <Dialog open={isOpen} onOpenChange={open => !open && onClose()}>
            <DialogContent className="sm:max-w-2xl">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Paste steps</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>
                            Paste steps copied from an editor of this shop or another one. Keys that are already used
                            are changed.
                        </Trans>
                    </DialogDescription>
                </DialogHeader>
                <Textarea
                    aria-label={t`Steps as text`}
                    aria-invalid={problem !== undefined}
                    translate="no"
                    spellCheck={false}
                    className="max-h-80 font-mono text-sm"
                    rows={10}
                    value={text}
                    onChange={({ target }) => {
                        setText(target.value);
                        setProblem(undefined);
                    }}
                />
                {problem !== undefined && <FieldError>{problem}</FieldError>}
                <DialogFooter>
                    <Button disabled={text.trim() === ''} onClick={take}>
                        <Trans>Paste</Trans>
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
