"""A language model behind any endpoint that speaks the OpenAI protocol. It may word and rank; it never decides.

Optional: without `OPENAI_BASE_URL`, or when it fails, is too slow, answers nonsense or the budget is spent, `ask`
raises `ModelSilent` and the caller uses its own words and says so. Callers check every figure and name of an answer
against what they know: an answer is text from outside.
"""

from infra.llm.asking import LanguageModel, ModelSilent, Question

__all__ = ["LanguageModel", "ModelSilent", "Question"]
