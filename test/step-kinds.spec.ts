import { declaredKinds } from '../src/core/steps/kinds';
import { stepKindContract } from './kit/step-kind-contract';

describe.each(declaredKinds.map(declared => [declared.kind, declared] as const))(
    'steps of the kind %s',
    (_, declared) => {
        for (const { name, run } of stepKindContract(declared)) it(name, run);
    },
);

it('no two kinds have one name', () => {
    const names = declaredKinds.map(({ kind }) => kind);
    expect([...new Set(names)]).toEqual(names);
});
