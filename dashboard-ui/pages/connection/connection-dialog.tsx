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
    toast,
    useMutation,
    useQuery,
    useQueryClient,
} from '@vendure/dashboard';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useOnce } from '../../ground/use-once';
import type { Widgets } from '../../form/form-context';
import { useTranslated } from '../../i18n/use-server-texts';
import { FaultNotice } from '../../parts/fault-notice';
import { Loading } from '../../parts/loading';
import { type ConnectionType, useConnectionDraft } from './connection-draft';
import { ConnectionFields, NewConnectionFields } from './connection-fields';
import { connectionTypesDocument, createConnectionDocument } from './connection.graphql';

interface ConnectionDialogProps {
    /** The types that fit where it is made; all of them where it is left out. */
    readonly only?: readonly string[] | undefined;
    readonly widgets?: Widgets;
    /** Gets the code of what was made. */
    readonly onMade: (code: string) => void;
    /** What opens it. */
    readonly children: ReactElement;
}

/** Makes a connection where it is needed, without leaving the page. */
export function ConnectionDialog({ children, ...props }: ConnectionDialogProps): ReactNode {
    const [isOpen, setOpen] = useState(false);
    return (
        <Dialog open={isOpen} onOpenChange={setOpen}>
            <DialogTrigger render={children} />
            <DialogContent className="flex max-h-[85vh] flex-col sm:max-w-2xl">
                <DialogHeader>
                    <DialogTitle>
                        <Trans>New connection</Trans>
                    </DialogTitle>
                    <DialogDescription>
                        <Trans>The file is stored immediately, even if you do not save the pipeline.</Trans>
                    </DialogDescription>
                </DialogHeader>
                {isOpen && <TypesFirst {...props} onDone={() => setOpen(false)} />}
            </DialogContent>
        </Dialog>
    );
}

type FormProps = Omit<ConnectionDialogProps, 'children'> & { readonly onDone: () => void };

function TypesFirst(props: FormProps): ReactNode {
    const { data, error, refetch } = useQuery({
        queryKey: ['flow', 'connection-types'],
        queryFn: () => api.query(connectionTypesDocument, {}),
        staleTime: Infinity,
    });
    const offered = useTranslated(data?.flowAdapters);
    if (error) return <FaultNotice error={error} onRetry={refetch} />;
    if (!offered) return <Loading className="h-48" />;
    const types = offered.filter(({ code }) => props.only?.includes(code) ?? true);
    return <ConnectionForm {...props} types={types} />;
}

function ConnectionForm({
    types,
    widgets,
    onMade,
    onDone,
}: FormProps & { readonly types: readonly ConnectionType[] }): ReactNode {
    const { t } = useLingui();
    const queries = useQueryClient();
    const draft = useConnectionDraft(undefined, types);
    const [isTried, setTried] = useState(false);
    const saving = useMutation({
        mutationFn: async () => {
            const [code, name] = [draft.code.trim(), draft.name.trim() || undefined];
            const input = { code, name, type: draft.type, settings: draft.settings };
            await api.mutate(createConnectionDocument, { input });
            return code;
        },
        onSuccess: async code => {
            toast.success(t`The connection was saved`);
            onMade(code);
            onDone();
            // What is offered elsewhere, and what was wrong for want of it.
            await queries.invalidateQueries({ queryKey: ['flow'] });
        },
    });
    const press = useOnce(saving.mutateAsync);
    return (
        <form
            className="flex min-h-0 flex-col gap-4"
            onSubmit={event => {
                event.preventDefault();
                event.stopPropagation();
                setTried(true);
                if (draft.isSound) press();
            }}
        >
            <div className="min-h-0 space-y-5 overflow-y-auto p-1">
                {saving.error && <FaultNotice error={saving.error} />}
                <NewConnectionFields draft={draft} types={types} showFaults={isTried} />
                <ConnectionFields draft={draft} isReadOnly={false} showFaults={isTried} {...(widgets && { widgets })} />
            </div>
            <DialogFooter>
                <Button type="submit" disabled={saving.isPending}>
                    <Trans>Create</Trans>
                </Button>
            </DialogFooter>
        </form>
    );
}
