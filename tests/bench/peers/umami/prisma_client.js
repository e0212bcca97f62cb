// Takes the place of `@umami/prisma-client`: the same exports, with Prisma's engine in the client instead of a native
// library, and each parameter of a raw query on its own, as version 0.14.0 of that package has it.
const { PrismaClient } = require("@prisma/client");
const { PrismaPg } = require("@prisma/adapter-pg");

const client = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }),
});

Object.defineProperty(exports, "__esModule", { value: true });
exports.default = {
  client,
  rawQuery: (query, parameters = []) => client.$queryRawUnsafe(query, ...parameters),
  transaction: (input, options) => client.$transaction(input, options),
};
