import { Trans } from '@lingui/react/macro';
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from '@vendure/dashboard';
import type { ReactNode } from 'react';
import { PaletteList } from './palette-list';
import { usePalette } from './palette-state';

/** The choice of the step to insert on a line or after a step. */
export function PaletteDialog(): ReactNode {
    const { entries, target, close, add } = usePalette();
    const { edge, behind } = target ?? {};
    const offered = edge || behind ? entries.filter(({ kind }) => kind.behind !== 'NOTHING') : entries;
    const [from, to] = [edge?.from ?? behind?.key, edge?.to];
    return (
        <Dialog open={target !== undefined} onOpenChange={isOpen => !isOpen && close()}>
            <DialogContent className="flex max-h-[80vh] flex-col sm:max-w-lg">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>Add a step</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        {to !== undefined ? (
                            <Trans>
                                between “{from}” and “{to}”
                            </Trans>
                        ) : from !== undefined ? (
                            <Trans>after “{from}”</Trans>
                        ) : (
                            <Trans>Records flow from sources through steps to the shop or to other systems.</Trans>
                        )}
                    </DialogDescription>
                </DialogHeader>
                <PaletteList entries={offered} isFocused onPick={entry => add(entry, target ?? {})} />
            </DialogContent>
        </Dialog>
    );
}
