import { useLingui } from '@lingui/react/macro';
import { Button } from '@vendure/dashboard';
import { CheckIcon, CopyIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';

interface CopyableProps {
    readonly text: string;
    readonly label: string;
}

/** A text for machines, to be read and copied. */
export function Copyable({ text, label }: CopyableProps): ReactNode {
    const { t } = useLingui();
    const [copied, setCopied] = useState('');
    const isCopied = copied === text;
    const copy = async (): Promise<void> => {
        await navigator.clipboard.writeText(text);
        setCopied(text);
    };
    return (
        <div className="relative">
            <pre
                aria-label={label}
                role="group"
                // So that it can be scrolled by keyboard.
                tabIndex={0}
                translate="no"
                className="max-h-[32rem] overflow-auto rounded-md border bg-muted/50 p-3 pr-12 font-mono text-xs"
            >
                {text}
            </pre>
            <Button
                variant="outline"
                size="icon-sm"
                className="absolute top-2 right-2"
                aria-label={isCopied ? t`Copied` : t`Copy`}
                onClick={() => void copy()}
            >
                {isCopied ? <CheckIcon aria-hidden className="text-success" /> : <CopyIcon aria-hidden />}
            </Button>
        </div>
    );
}
