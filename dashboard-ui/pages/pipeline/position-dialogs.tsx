import { Trans, useLingui } from '@lingui/react/macro';
import {
    api,
    Button,
    Dialog,
    DialogContent,
    DialogDescription,
    DialogFooter,
    DialogHeader,
    DialogTitle,
    DialogTrigger,
    Input,
    Label,
    Textarea,
    useMutation,
    useQueryClient,
} from '@vendure/dashboard';
import { type LucideIcon, RotateCcwIcon, RowsIcon } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import { FaultNotice } from '../../parts/fault-notice';
import { reseedPositionDocument, resetPositionDocument } from './positions.graphql';

interface StepOfPipeline {
    readonly pipelineId: string;
    readonly stepKey: string;
}

/** Has the next run read a source from its beginning. */
export function ResetDialog({ pipelineId, stepKey }: StepOfPipeline): ReactNode {
    return (
        <MoveDialog
            icon={RotateCcwIcon}
            label={<Trans>Read from the beginning…</Trans>}
            title={<Trans>Read everything again?</Trans>}
            description={
                <Trans>
                    The next run reads the source from the beginning. Unchanged records are not written again.
                </Trans>
            }
            confirm={<Trans>Remove the position</Trans>}
            canMove
            move={comment => api.mutate(resetPositionDocument, { pipelineId, stepKey, comment })}
        />
    );
}

interface ReseedDialogProps extends StepOfPipeline {
    readonly trackingValue: string;
    readonly primaryKey: string;
}

/** Sets the position so that the next run starts after a row. */
export function ReseedDialog({ pipelineId, stepKey, ...row }: ReseedDialogProps): ReactNode {
    const { t } = useLingui();
    const id = useId();
    const [values, setValues] = useState(row);
    const { trackingValue, primaryKey } = values;
    return (
        <MoveDialog
            icon={RowsIcon}
            label={<Trans>Continue after a row…</Trans>}
            title={<Trans>Continue after a row</Trans>}
            description={
                <Trans>
                    The next run reads the rows after this one. Enter both values as the database prints them. Several
                    rows may have the same tracking value.
                </Trans>
            }
            confirm={<Trans>Start there</Trans>}
            canMove={trackingValue.trim() !== '' && primaryKey.trim() !== ''}
            onOpen={() => setValues(row)}
            move={comment => api.mutate(reseedPositionDocument, { pipelineId, stepKey, ...values, comment })}
        >
            <div className="space-y-1">
                <Label htmlFor={`${id}-value`}>{t`Value of the tracking column`}</Label>
                <Input
                    id={`${id}-value`}
                    value={trackingValue}
                    maxLength={1000}
                    onChange={event => setValues({ ...values, trackingValue: event.target.value })}
                />
            </div>
            <div className="space-y-1">
                <Label htmlFor={`${id}-key`}>{t`Value of the primary key`}</Label>
                <Input
                    id={`${id}-key`}
                    value={primaryKey}
                    maxLength={1000}
                    onChange={event => setValues({ ...values, primaryKey: event.target.value })}
                />
            </div>
        </MoveDialog>
    );
}

interface MoveDialogProps {
    readonly icon: LucideIcon;
    readonly label: ReactNode;
    readonly title: ReactNode;
    readonly description: ReactNode;
    readonly confirm: ReactNode;
    readonly canMove: boolean;
    readonly onOpen?: () => void;
    readonly move: (comment: string | null) => Promise<unknown>;
    readonly children?: ReactNode;
}

/** The confirmation before a position is moved, with a reason that is stored in the history of the pipeline. */
function MoveDialog({ icon: Icon, label, title, description, confirm, ...props }: MoveDialogProps): ReactNode {
    const { canMove, onOpen, move, children } = props;
    const { t } = useLingui();
    const id = useId();
    const client = useQueryClient();
    const [isOpen, setOpen] = useState(false);
    const [comment, setComment] = useState('');
    const moving = useMutation({
        mutationFn: () => move(comment.trim() === '' ? null : comment.trim()),
        onSuccess: async () => {
            setOpen(false);
            await client.invalidateQueries({ queryKey: ['flow'] });
        },
    });
    const press = useOnce(moving.mutateAsync);
    const opened = (willBeOpen: boolean): void => {
        setOpen(willBeOpen);
        if (!willBeOpen) return;
        setComment('');
        moving.reset();
        onOpen?.();
    };
    return (
        <Dialog open={isOpen} onOpenChange={opened}>
            <DialogTrigger
                render={
                    <Button size="sm" variant="outline">
                        <Icon aria-hidden />
                        {label}
                    </Button>
                }
            />
            <DialogContent>
                <DialogHeader>
                    <DialogTitle>{title}</DialogTitle>
                    <DialogDescription>{description}</DialogDescription>
                </DialogHeader>
                {children}
                <div className="space-y-1">
                    <Label htmlFor={id}>{t`Reason (kept in the history)`}</Label>
                    <Textarea
                        id={id}
                        value={comment}
                        maxLength={1000}
                        onChange={event => setComment(event.target.value)}
                    />
                </div>
                {moving.error && <FaultNotice error={moving.error} />}
                <DialogFooter>
                    <Button disabled={!canMove || moving.isPending} onClick={() => press()}>
                        {confirm}
                    </Button>
                </DialogFooter>
            </DialogContent>
        </Dialog>
    );
}
