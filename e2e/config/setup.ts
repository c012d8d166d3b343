// A first boot on a cold machine synchronises and populates a database: minutes are a fault, seconds are not.
jest.setTimeout(180_000);
