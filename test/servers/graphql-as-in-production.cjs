// Lets graphql tell types apart as it does in production, which it decides by NODE_ENV as it is loaded. Its other way also looks whether two
// copies of graphql are at hand, for each value that is not of the type: a tenth of what a shop takes to boot.
const { NODE_ENV: before } = process.env;
process.env.NODE_ENV = 'production';
require('graphql/jsutils/instanceOf');
if (before === undefined) delete process.env.NODE_ENV;
else process.env.NODE_ENV = before;
