/** For tests of one's own operators, steps and pipelines: no shop, no database, any test runner. */
export { type ContractCheck, type ContractSurroundings, operatorContract } from './operator-contract';
export {
    type OperatorTest,
    type OperatorTestRun,
    type PipelineTest,
    type PipelineTestInput,
    runOperator,
    runPipeline,
    runStep,
    type StepTestResult,
    type StepTestRun,
    type TestReject,
    type TestSurroundings,
} from './run';
