import { Trans, useLingui } from '@lingui/react/macro';
import { Button, useLocalFormat } from '@vendure/dashboard';
import { ChevronLeftIcon, ChevronRightIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { pagerState } from './pager-state';

interface PagerProps {
    readonly skip: number;
    readonly take: number;
    readonly total: number;
    readonly onSkip: (skip: number) => void;
}

/** Which rows of a list are shown, with buttons for the previous and next ones. */
export function Pager({ skip, take, total, onSkip }: PagerProps): ReactNode {
    const { t } = useLingui();
    const { formatNumber } = useLocalFormat();
    if (total === 0) return null;
    const { isFirst, isLast, ...rows } = pagerState({ skip, take, total });
    const first = formatNumber(rows.first);
    const last = formatNumber(rows.last);
    const all = formatNumber(total);
    return (
        <nav aria-label={t`Pages`} className="flex items-center justify-end gap-2 pt-2 text-sm text-muted-foreground">
            <span className="tabular-nums">
                <Trans>
                    {first}–{last} of {all}
                </Trans>
            </span>
            <Button
                variant="outline"
                size="icon-sm"
                aria-label={t`Earlier lines`}
                disabled={isFirst}
                onClick={() => onSkip(Math.max(0, skip - take))}
            >
                <ChevronLeftIcon aria-hidden />
            </Button>
            <Button
                variant="outline"
                size="icon-sm"
                aria-label={t`Later lines`}
                disabled={isLast}
                onClick={() => onSkip(skip + take)}
            >
                <ChevronRightIcon aria-hidden />
            </Button>
        </nav>
    );
}
