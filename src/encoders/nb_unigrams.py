"""Tf-idf of words for naive Bayes: count baselines of SentEval (Conneau et al. 2018)."""

from src.encoders.tfidf import TfIdf


class NaiveBayesTfIdf(TfIdf):
    """The features of the rows "NB-uni-tfidf" and "NB-bi-tfidf" of Conneau et al. (2018, Tables 2 and 4).

    conf/probe/naive_bayes.yaml has their classifier.
    """

    own_probe = "naive_bayes"
